//! Parts of HTML pages that several reports share.

use maud::{Markup, html};

/// A table that scrolls sideways where the page is too narrow for it. `head` are the cells of the
/// heading, `rows` the rows of the body.
pub(crate) fn scrolling_table(label: &str, head: &Markup, rows: &Markup) -> Markup {
    html! {
        div.scroll tabindex="0" role="region" aria-label=(label) {
            table {
                thead { tr { (head) } }
                tbody { (rows) }
            }
        }
    }
}

/// A heading of a column of text.
pub(crate) fn text_head(text: &str) -> Markup {
    html! { th scope="col" { (text) } }
}

/// A heading of a column of numbers.
pub(crate) fn number_head(text: &str) -> Markup {
    html! { th.n scope="col" { (text) } }
}
