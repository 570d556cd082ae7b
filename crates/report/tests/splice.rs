//! Tables between markers.

mod fixture;

use fanout_report::{markdown_table, splice};

const DOCUMENT: &str = "\
# A document

<!-- fanout report results/old --table 08-deadlock -->
what was here before
<!-- end -->
After it.
";

#[test]
fn a_table_is_renewed_and_the_rest_is_left_alone() {
    let spliced = splice(DOCUMENT, &fixture::results()).unwrap();
    insta::assert_snapshot!(spliced);
    assert_eq!(splice(&spliced, &fixture::results()).unwrap(), spliced);
}

#[test]
fn a_spliced_table_says_what_the_printed_one_says() {
    let printed = markdown_table(&fixture::results(), "08-deadlock").unwrap();
    let spliced = splice(DOCUMENT, &fixture::results()).unwrap();
    let bare = |text: &str| text.replace(['[', ']', ' ', '-'], "").replace("08deadlock", "");
    let rows =
        |text: &str| -> Vec<String> { text.lines().filter(|line| line.starts_with('|')).map(bare).collect() };
    assert_eq!(rows(&spliced), rows(&printed));
}

#[test]
fn several_tables_stand_in_one_document() {
    let two = format!("{DOCUMENT}{}", DOCUMENT.replace("08-deadlock", "01-tree-guide"));
    let spliced = splice(&two, &fixture::results()).unwrap();
    assert!(
        spliced.contains("[queue-workers][08-deadlock]")
            && spliced.contains("[queue-workers][01-tree-guide]")
    );
    assert_eq!(spliced.matches("After it.").count(), 2);
}

#[test]
fn a_marker_between_code_fences_is_an_example() {
    let example = format!("```markdown\n{DOCUMENT}```\n{DOCUMENT}");
    let spliced = splice(&example, &fixture::results()).unwrap();
    assert!(spliced.starts_with(&format!("```markdown\n{DOCUMENT}```\n")), "{spliced}");
}

#[test]
fn a_document_that_cannot_be_spliced_is_refused() {
    let refused = |document: &str| splice(document, &fixture::results()).unwrap_err().to_string();
    let errors = [
        refused("no marker"),
        refused("\n<!-- fanout report results/old -->\n<!-- end -->\n"),
        refused("<!-- fanout report results/old --table 08-deadlock -->\nand then the file ends\n"),
        refused(&DOCUMENT.replace("<!-- end -->\n", DOCUMENT)),
        refused(&DOCUMENT.replace("08-deadlock", "99-unknown")),
    ];
    insta::assert_snapshot!(errors.join("\n"));
}
