//! What a graph may do: apply the operators of our networks to each position of a batch by itself,
//! within bounds of memory and time. ONNX in general has loops, and tensors of any size that a few
//! bytes ask for.

use std::collections::{HashMap, HashSet};

use thiserror::Error;

use super::INPUT;
use super::proto::{Attribute, Dimension, Graph, Node, Tensor, ValueInfo};

/// The most numbers that are in use at a time, per position.
pub const MAX_MEMORY: usize = 1 << 20;
/// The most multiplications per position.
pub const MAX_WORK: usize = 1 << 35;
/// The most dimensions of a tensor.
const MAX_RANK: usize = 8;

/// The standard's numbers of types.
const FLOAT: i32 = 1;
const INT64: i32 = 7;

/// Why a graph is not run.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum GraphError {
    #[error("without its weights it has {found} bytes; at most {limit} are read")]
    Structure { found: usize, limit: usize },
    #[error(
        "its input is not planes [batch, planes, rank, file]; a sparse network is played from its .safetensors file"
    )]
    Input,
    #[error("the constant {0:?} is not made of floats or integers of its shape")]
    Constant(String),
    #[error("the operator {operator} of the node {node:?} {problem}")]
    Node {
        node: String,
        operator: String,
        problem: String,
    },
    #[error("it keeps {0} numbers or more per position; {MAX_MEMORY} are allowed")]
    Memory(usize),
    #[error("it makes {0} multiplications or more per position; {MAX_WORK} are allowed")]
    Work(usize),
}

/// What running a graph takes, per position.
#[derive(Copy, Clone, Default, Debug)]
pub struct Cost {
    /// The most numbers in use at a time.
    pub memory: usize,
    /// Multiplications, or other operations on a number.
    pub work: usize,
}

#[derive(Clone, Debug)]
enum Value {
    /// Floats of this shape, the same for all positions.
    Constant(Vec<usize>),
    /// The integers that a Reshape takes.
    Integers(Vec<i64>),
    /// Floats `[batch, …]` with these dimensions after the batch.
    Batched(Vec<usize>),
}

/// Checks that a graph can be run within the bounds.
pub fn check(graph: &Graph) -> Result<Cost, GraphError> {
    let mut values = HashMap::new();
    let mut names = HashSet::from([INPUT]);
    for tensor in &graph.initializer {
        let value = constant(tensor).filter(|_| names.insert(&tensor.name));
        let value = value.ok_or_else(|| GraphError::Constant(tensor.name.clone()))?;
        values.insert(tensor.name.as_str(), value);
    }
    let planes = input(&graph.input).ok_or(GraphError::Input)?;
    let mut in_use = size(&planes).ok_or(GraphError::Input)?;
    values.insert(INPUT, Value::Batched(planes));

    let mut last_uses = HashMap::new();
    for (i, node) in graph.node.iter().enumerate() {
        last_uses.extend(node.input.iter().map(|name| (name.as_str(), i)));
    }
    for output in &graph.output {
        last_uses.remove(output.name.as_str());
    }
    let mut cost = Cost::default();
    for (i, node) in graph.node.iter().enumerate() {
        let applied = apply(node, &values).and_then(|(shape, work)| match &node.output[..] {
            [name] if names.insert(name) => Ok((name, shape, work)),
            _ => Err("has not one output of a new name".to_owned()),
        });
        let (name, shape, work) = applied.map_err(|problem| GraphError::Node {
            node: node.name.clone(),
            operator: node.op_type.clone(),
            problem,
        })?;
        let output = size(&shape).unwrap_or(usize::MAX);
        in_use = in_use.saturating_add(output);
        cost.memory = cost.memory.max(in_use);
        cost.work = cost.work.saturating_add(work.max(output));
        if cost.memory > MAX_MEMORY {
            return Err(GraphError::Memory(cost.memory));
        }
        if cost.work > MAX_WORK {
            return Err(GraphError::Work(cost.work));
        }
        values.insert(name, Value::Batched(shape));
        for name in &node.input {
            if last_uses.get(name.as_str()) == Some(&i)
                && let Some(Value::Batched(shape)) = values.remove(name.as_str())
            {
                in_use -= size(&shape).expect("its size was computed before");
            }
        }
    }
    Ok(cost)
}

fn size(shape: &[usize]) -> Option<usize> {
    shape
        .iter()
        .try_fold(1_usize, |size, &n| size.checked_mul(n))
}

fn length(n: i64) -> Option<usize> {
    usize::try_from(n).ok().filter(|&n| n > 0)
}

fn constant(tensor: &Tensor) -> Option<Value> {
    let shape = tensor.dims.iter().map(|&n| length(n));
    let shape = shape.collect::<Option<Vec<_>>>()?;
    if shape.len() > MAX_RANK {
        return None;
    }
    let bytes_of = |element: usize| size(&shape)?.checked_mul(element);
    match tensor.data_type {
        FLOAT if bytes_of(4)? == tensor.raw_data.len() => Some(Value::Constant(shape)),
        INT64 if bytes_of(8)? == tensor.raw_data.len() && size(&shape)? <= MAX_RANK => {
            let (numbers, _) = tensor.raw_data.as_chunks();
            let numbers = numbers.iter().map(|&bytes| i64::from_le_bytes(bytes));
            Some(Value::Integers(numbers.collect()))
        }
        _ => None,
    }
}

/// The shape of the only input, without the batch.
fn input(inputs: &[ValueInfo]) -> Option<Vec<usize>> {
    let [input] = inputs else { return None };
    let tensor = input.r#type.as_ref()?.tensor_type.as_ref()?;
    let [_batch, rest @ ..] = tensor.shape.as_ref()?.dim.as_slice() else {
        return None;
    };
    let length = |dimension: &Dimension| length(dimension.dim_value?);
    let shape = rest.iter().map(length).collect::<Option<Vec<_>>>()?;
    (input.name == INPUT && tensor.elem_type == FLOAT && shape.len() == 3).then_some(shape)
}

const TOO_LARGE: &str = "is too large";

type Applied = Result<(Vec<usize>, usize), String>;

/// The shape of a node's output, without the batch, and its multiplications; or what is wrong with
/// the node. The operators here are all that are allowed.
fn apply(node: &Node, values: &HashMap<&str, Value>) -> Applied {
    let inputs = node.input.iter().map(|name| {
        let value = values.get(name.as_str());
        value.ok_or_else(|| format!("uses {name:?}, which is not there"))
    });
    let inputs = inputs.collect::<Result<Vec<_>, _>>()?;
    let attributes = Attributes(node);
    let unsuitable = || Err(format!("is not applied to {inputs:?} in this way"));
    match (node.op_type.as_str(), inputs.as_slice()) {
        ("Relu", [Value::Batched(shape)]) => {
            attributes.only(&[])?;
            Ok((shape.clone(), 0))
        }
        ("Softmax", [Value::Batched(shape)]) => {
            attributes.only(&["axis"])?;
            attributes.axis(-1, shape)?;
            Ok((shape.clone(), 0))
        }
        ("Add", [Value::Batched(a), Value::Batched(b)]) => {
            attributes.only(&[])?;
            if a.len() != b.len() {
                return unsuitable();
            }
            let both = a.iter().zip(b);
            if both.clone().any(|(&a, &b)| a != b && a != 1 && b != 1) {
                return unsuitable();
            }
            Ok((both.map(|(&a, &b)| a.max(b)).collect(), 0))
        }
        ("GlobalAveragePool" | "GlobalMaxPool", [Value::Batched(shape)]) => {
            attributes.only(&[])?;
            match shape.as_slice() {
                &[channels, _, _] => Ok((vec![channels, 1, 1], size(shape).ok_or(TOO_LARGE)?)),
                _ => unsuitable(),
            }
        }
        ("Flatten", [Value::Batched(shape)]) => {
            attributes.only(&["axis"])?;
            if attributes.int("axis", 1) != 1 {
                return unsuitable();
            }
            Ok((vec![size(shape).ok_or(TOO_LARGE)?], 0))
        }
        ("Concat", [Value::Batched(first), rest @ ..]) => {
            attributes.only(&["axis"])?;
            let axis = attributes.axis(0, first)?;
            let mut shape = first.clone();
            for value in rest {
                let Value::Batched(next) = value else {
                    return unsuitable();
                };
                let differs = |(i, (a, b)): (usize, (&usize, &usize))| i != axis && a != b;
                if next.len() != first.len() || first.iter().zip(next).enumerate().any(differs) {
                    return unsuitable();
                }
                shape[axis] = shape[axis].saturating_add(next[axis]);
            }
            Ok((shape, 0))
        }
        ("Reshape", [Value::Batched(shape), Value::Integers(wanted)]) => {
            attributes.only(&[])?;
            // Zero keeps the batch as it is.
            let [0, rest @ ..] = wanted.as_slice() else {
                return unsuitable();
            };
            match rest.iter().map(|&n| length(n)).collect::<Option<Vec<_>>>() {
                Some(reshaped) if size(&reshaped) == size(shape) => Ok((reshaped, 0)),
                _ => unsuitable(),
            }
        }
        ("Transpose", [Value::Batched(shape)]) => {
            attributes.only(&["perm"])?;
            let mut order = attributes.ints("perm").to_vec();
            let transposed = match order.as_slice() {
                [0, rest @ ..] if rest.len() == shape.len() => {
                    let from = |&axis: &i64| shape.get(usize::try_from(axis - 1).ok()?).copied();
                    rest.iter().map(from).collect::<Option<Vec<_>>>()
                }
                _ => None,
            };
            order.sort_unstable();
            order.dedup();
            match transposed {
                Some(transposed) if order.len() == shape.len() + 1 => Ok((transposed, 0)),
                _ => unsuitable(),
            }
        }
        ("MatMul", [Value::Batched(a), Value::Batched(b)]) => {
            attributes.only(&[])?;
            match (a.as_slice(), b.as_slice()) {
                (&[rows, depth], &[same, columns]) if depth == same => {
                    let work = rows.saturating_mul(depth).saturating_mul(columns);
                    Ok((vec![rows, columns], work))
                }
                _ => unsuitable(),
            }
        }
        ("Gemm", [Value::Batched(x), Value::Constant(weight), bias @ ..]) => {
            attributes.only(&["transB"])?;
            let &[rows, columns] = weight.as_slice() else {
                return unsuitable();
            };
            let (from, to) = match attributes.int("transB", 0) {
                0 => (rows, columns),
                _ => (columns, rows),
            };
            if *x != [from] || !is_bias(bias, to) {
                return unsuitable();
            }
            Ok((vec![to], from.saturating_mul(to)))
        }
        ("Conv", [Value::Batched(x), Value::Constant(weight), bias @ ..]) => {
            attributes.only(&["kernel_shape", "pads"])?;
            let (&[channels, ranks, files], &[to, from, height, width]) =
                (x.as_slice(), weight.as_slice())
            else {
                return unsuitable();
            };
            // The board keeps its size.
            let pads = [height / 2, width / 2].map(|pad| pad as i64);
            let is_same = height % 2 == 1
                && width % 2 == 1
                && attributes.ints("pads") == [pads, pads].concat()
                && attributes.ints("kernel_shape") == [height as i64, width as i64];
            if channels != from || !is_same || !is_bias(bias, to) {
                return unsuitable();
            }
            let output = vec![to, ranks, files];
            let work = size(&[to, ranks, files, from, height, width]).unwrap_or(usize::MAX);
            Ok((output, work))
        }
        (
            "Relu" | "Softmax" | "Add" | "GlobalAveragePool" | "GlobalMaxPool" | "Flatten"
            | "Concat" | "Reshape" | "Transpose" | "MatMul" | "Gemm" | "Conv",
            _,
        ) => unsuitable(),
        _ => Err("is not one of those that networks are made of".to_owned()),
    }
}

/// Whether the inputs after the weight are a bias of this length, or nothing.
fn is_bias(inputs: &[&Value], length: usize) -> bool {
    match inputs {
        [] => true,
        [Value::Constant(shape)] => *shape == [length],
        _ => false,
    }
}

struct Attributes<'a>(&'a Node);

impl Attributes<'_> {
    /// Refuses attributes that are not `known` or come twice.
    fn only(&self, known: &[&str]) -> Result<(), String> {
        let mut names = HashSet::new();
        for Attribute { name, .. } in &self.0.attribute {
            if !known.contains(&name.as_str()) || !names.insert(name) {
                return Err(format!("has an attribute {name:?} too many"));
            }
        }
        Ok(())
    }

    fn int(&self, name: &str, default: i64) -> i64 {
        let attribute = self
            .0
            .attribute
            .iter()
            .find(|attribute| attribute.name == name);
        attribute
            .and_then(|attribute| attribute.i)
            .unwrap_or(default)
    }

    fn ints(&self, name: &str) -> &[i64] {
        let attribute = self
            .0
            .attribute
            .iter()
            .find(|attribute| attribute.name == name);
        attribute.map_or(&[], |attribute| &attribute.ints)
    }

    /// The index, in a shape without the batch, of the axis that the node is about.
    fn axis(&self, default: i64, shape: &[usize]) -> Result<usize, String> {
        let axis = self.int("axis", default);
        let rank = shape.len() as i64 + 1;
        let from_front = if axis < 0 { axis + rank } else { axis };
        match from_front {
            1.. if from_front < rank => Ok(from_front as usize - 1),
            _ => Err(format!("is about axis {axis}")),
        }
    }
}
