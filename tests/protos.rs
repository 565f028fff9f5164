//! The protos are a public interface: they pass Buf's STANDARD lint, every element has a comment, and the build compiles
//! all of them.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use divelog_tests::{CommandOutput, repository};
use prost_types::source_code_info::Location;
use prost_types::{DescriptorProto, EnumDescriptorProto, FileDescriptorProto};
use protox::prost_reflect::prost::Message;

use crate::python::{environment, proto_files};

fn lint(folder: &Path) -> CommandOutput {
    let mut buf = Command::new(environment().join("buf"));
    buf.arg("lint").current_dir(folder).output().unwrap().into()
}

#[test]
fn buf_finds_nothing() {
    let output = lint(&repository().join("proto"));
    assert_eq!((output.code, output.stdout.as_str(), output.stderr.as_str()), (0, "", ""));
}

#[test]
fn buf_would_find_a_fault() {
    // The same settings on protos with one fault: were buf to look at nothing, it would find nothing here either.
    let dir = tempfile::tempdir().unwrap();
    std::fs::copy(repository().join("proto/buf.yaml"), dir.path().join("buf.yaml")).unwrap();
    for file in proto_files() {
        let text = std::fs::read_to_string(repository().join("proto").join(&file)).unwrap();
        let to = dir.path().join(&file);
        std::fs::create_dir_all(to.parent().unwrap()).unwrap();
        std::fs::write(to, text.replace("GAME_STATUS_RUNNING = 1", "RUNNING = 1")).unwrap();
    }
    let output = lint(dir.path());
    assert_ne!(output.code, 0);
    assert!(output.stdout.contains("RUNNING"), "{output:?}");
}

/// The elements of a file that have no comment before them. Paths are those of google.protobuf.SourceCodeInfo.
struct Uncommented<'a> {
    locations: &'a [Location],
    seen: usize,
    found: Vec<String>,
}

impl Uncommented<'_> {
    fn check(&mut self, path: &[i32], name: &str) {
        self.seen += 1;
        let location = self.locations.iter().find(|location| location.path == path);
        if location.is_none_or(|location| location.leading_comments().trim().is_empty()) {
            self.found.push(name.to_owned());
        }
    }

    fn message(&mut self, path: &[i32], name: &str, message: &DescriptorProto) {
        // The entries of a map are not written by anybody.
        if message.options.as_ref().is_some_and(|options| options.map_entry()) {
            return;
        }
        self.check(path, name);
        let at = |field: i32, index: usize| [path, &[field, index as i32]].concat();
        for (index, field) in message.field.iter().enumerate() {
            self.check(&at(2, index), &format!("{name}.{}", field.name()));
        }
        for (index, nested) in message.nested_type.iter().enumerate() {
            self.message(&at(3, index), &format!("{name}.{}", nested.name()), nested);
        }
        for (index, nested) in message.enum_type.iter().enumerate() {
            self.enumeration(&at(4, index), &format!("{name}.{}", nested.name()), nested);
        }
        for (index, oneof) in message.oneof_decl.iter().enumerate() {
            // `optional` makes a oneof that nobody wrote.
            let fields = message.field.iter().filter(|field| field.oneof_index == Some(index as i32));
            if !fields.clone().all(|field| field.proto3_optional()) {
                self.check(&at(8, index), &format!("{name}.{}", oneof.name()));
            }
        }
    }

    fn enumeration(&mut self, path: &[i32], name: &str, enumeration: &EnumDescriptorProto) {
        self.check(path, name);
        for (index, value) in enumeration.value.iter().enumerate() {
            self.check(&[path, &[2, index as i32]].concat(), &format!("{name}.{}", value.name()));
        }
    }

    fn file(&mut self, file: &FileDescriptorProto) {
        // Of a file its package: what it is about.
        self.check(&[2], file.name());
        for (index, message) in file.message_type.iter().enumerate() {
            self.message(&[4, index as i32], message.name(), message);
        }
        for (index, enumeration) in file.enum_type.iter().enumerate() {
            self.enumeration(&[5, index as i32], enumeration.name(), enumeration);
        }
        for (index, service) in file.service.iter().enumerate() {
            self.check(&[6, index as i32], service.name());
            for (number, method) in service.method.iter().enumerate() {
                let name = format!("{}.{}", service.name(), method.name());
                self.check(&[6, index as i32, 2, number as i32], &name);
            }
        }
    }
}

/// How many elements a set of files has, and which of them have no comment.
fn uncommented(files: &[FileDescriptorProto], ours: &[String]) -> (usize, Vec<String>) {
    let (mut seen, mut found) = (0, Vec::new());
    for file in files.iter().filter(|file| ours.iter().any(|name| name == file.name())) {
        let locations = &file.source_code_info.as_ref().unwrap().location;
        let mut check = Uncommented { locations, seen: 0, found: Vec::new() };
        check.file(file);
        seen += check.seen;
        found.extend(check.found);
    }
    (seen, found)
}

fn compile(folder: &Path, files: &[String]) -> Vec<FileDescriptorProto> {
    let mut compiler = protox::Compiler::new([folder]).unwrap();
    compiler.include_imports(true).include_source_info(true).open_files(files).unwrap();
    // By bytes, so that it does not matter which version of the types protox uses.
    let set = compiler.file_descriptor_set().encode_to_vec();
    prost::Message::decode(set.as_slice()).map(|set: prost_types::FileDescriptorSet| set.file).unwrap()
}

#[test]
fn every_element_has_a_comment() {
    let files = proto_files();
    let (seen, found) = uncommented(&compile(&repository().join("proto"), &files), &files);
    assert_eq!(found, [""; 0], "without a comment");
    assert!(seen > 300, "only {seen} elements were looked at");
}

#[test]
fn a_missing_comment_is_noticed() {
    let dir = tempfile::tempdir().unwrap();
    let text = "syntax = \"proto3\";\n// About.\npackage p;\n// M.\nmessage M {\n  uint32 a = 1;\n  // B.\n  uint32 b = 2;\n  \
                oneof c {\n    uint32 d = 3;\n  }\n}\nenum E {\n  // Z.\n  Z = 0;\n}\n// S.\nservice S {\n  rpc R(M) \
                returns (M);\n}\n";
    std::fs::write(dir.path().join("x.proto"), text).unwrap();
    let files = ["x.proto".to_owned()];
    let (_, mut found) = uncommented(&compile(dir.path(), &files), &files);
    found.sort();
    assert_eq!(found, ["E", "M.a", "M.c", "M.d", "S.R"]);
}

#[test]
fn the_build_takes_every_file() {
    let set: prost_types::FileDescriptorSet = prost::Message::decode(divelog_proto::FILE_DESCRIPTOR_SET).unwrap();
    let built: BTreeSet<String> = set.file.iter().map(|file| file.name().to_owned()).collect();
    let missing: Vec<String> = proto_files().into_iter().filter(|file| !built.contains(file)).collect();
    assert_eq!(missing, [""; 0], "build.rs leaves these out");
    let locations = set.file.iter().filter(|file| file.name().starts_with("divelog/")).count();
    assert_eq!(locations, proto_files().len(), "the build has files that are not in proto/");
}
