use std::collections::{BTreeMap, HashMap};

use safetensors::tensor::{Dtype, SafeTensors, TensorView};

use crate::Weights;

/// The tensors of a safetensors file: prefixes of their names, and what they are read to and
/// written from.
#[derive(Debug)]
pub(super) struct TensorFile<'a>(pub(super) Vec<(&'static str, &'a Weights)>);

impl TensorFile<'_> {
    /// The file, with a line that describes it.
    pub(super) fn encode(&self, summary: &str) -> Vec<u8> {
        let bytes: Vec<_> = self
            .0
            .iter()
            .flat_map(|(prefix, weights)| {
                let entries = weights.layout.entries.iter().zip(&weights.tensors);
                entries.map(move |(entry, tensor)| {
                    let mut bytes = vec![0; tensor.numel() * size_of::<f32>()];
                    tensor.copy_data_u8(&mut bytes, tensor.numel());
                    let shape: Vec<_> = entry.shape.iter().map(|&size| size as usize).collect();
                    (format!("{prefix}{}", entry.name), shape, bytes)
                })
            })
            .collect();
        let views = bytes.iter().map(|(name, shape, bytes)| {
            let view = TensorView::new(Dtype::F32, shape.clone(), bytes);
            (name, view.expect("the bytes are of the shape's size"))
        });
        // A single entry: several would be written in a random order.
        let metadata = HashMap::from([("garuda".to_owned(), summary.to_owned())]);
        safetensors::serialize(views, Some(metadata)).expect("tensors can be written")
    }

    /// Reads the file into the weights. If it is not exactly what they need it leaves them alone,
    /// and returns all problems.
    pub(super) fn decode(&self, bytes: &[u8]) -> Vec<String> {
        let file = match SafeTensors::deserialize(bytes) {
            Ok(file) => file,
            Err(error) => return vec![format!("not a safetensors file: {error}")],
        };
        let mut found: BTreeMap<String, TensorView<'_>> = file.tensors().into_iter().collect();
        let mut problems = Vec::new();
        let mut read = Vec::new();
        for (prefix, weights) in &self.0 {
            for (entry, tensor) in weights.layout.entries.iter().zip(&weights.tensors) {
                let name = format!("{prefix}{}", entry.name);
                let Some(view) = found.remove(&name) else {
                    problems.push(format!("the tensor {name} is missing"));
                    continue;
                };
                match numbers(&view, &entry.shape) {
                    Ok(numbers) => read.push((tensor, numbers)),
                    Err(problem) => problems.push(format!("the tensor {name} {problem}")),
                }
            }
        }
        problems.extend(
            found
                .keys()
                .map(|name| format!("there is an unknown tensor {name}")),
        );
        if problems.is_empty() {
            for (tensor, numbers) in read {
                let numbers = tch::Tensor::from_slice(&numbers).view_as(tensor);
                tensor.shallow_clone().copy_(&numbers);
            }
        }
        problems
    }
}

/// The numbers of a tensor, or what is wrong with it.
fn numbers(view: &TensorView<'_>, wanted: &[i64]) -> Result<Vec<f32>, String> {
    if view.dtype() != Dtype::F32 {
        return Err(format!("holds {:?} instead of F32", view.dtype()));
    }
    if !view
        .shape()
        .iter()
        .map(|&size| size as i64)
        .eq(wanted.iter().copied())
    {
        return Err(format!(
            "has the shape {:?} instead of {wanted:?}",
            view.shape()
        ));
    }
    let (chunks, _) = view.data().as_chunks();
    let numbers: Vec<f32> = chunks
        .iter()
        .map(|&bytes| f32::from_le_bytes(bytes))
        .collect();
    let bad = numbers.iter().filter(|number| !number.is_finite()).count();
    if bad > 0 {
        return Err(format!("has {bad} numbers that are not finite"));
    }
    Ok(numbers)
}
