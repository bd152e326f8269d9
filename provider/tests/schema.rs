//! Holds the schemas to the file beside this: a change of what users see is made on purpose.
//!
//! `UPDATE_EXPECT=1 cargo test -p terraform-provider-terdut --test schema` writes it again.

use expect_test::expect_file;
use terdut_plugin::engine::Engine;
use terdut_plugin::serve::Mask;
use terdut_provider::provider::Terdut;

#[test]
fn the_schemas_are_those_of_the_file() {
    let engine = Engine::new(Terdut::new(Mask::new(), |_| None));
    expect_file!["schema.json"].assert_eq(&format!("{:#}\n", engine.describe()));
}
