//! Which feature works in which Terraform and OpenTofu, tried and written to `docs/compatibility.md`.
//!
//! Each feature is tried as a person would use it, in every program at hand. `tried` has the
//! attempts, `page` the table. A cell says what was seen, never what is expected.

mod page;
mod tried;

use expect_test::expect_file;
use terdut_tests::harness::Program;

use page::Column;

/// What came of one feature in one program: `Err` has the first words of the refusal.
type Outcome = Result<(), String>;

#[tokio::test(flavor = "multi_thread")]
async fn the_page_shows_what_works_in_each_program() {
    let mut columns = Vec::new();
    for program in Program::all() {
        let mut outcomes = Vec::new();
        for feature in tried::FEATURES {
            outcomes.push(tried::attempt(feature, &program).await);
        }
        columns.push(Column { program: program.full_name(), outcomes });
    }
    let page = include_str!("../../../docs/compatibility.md");
    let wanted = page::page(&columns);
    if std::env::var_os("UPDATE_EXPECT").is_some() || page::has_same_programs(page, &wanted) {
        expect_file!["../../../docs/compatibility.md"].assert_eq(&wanted);
        return;
    }
    // Other versions than the page's may do more or less; the cells that both have must agree.
    let differing = page::differing(page, &wanted);
    assert!(differing.is_empty(), "not as docs/compatibility.md says: {differing:?}");
}
