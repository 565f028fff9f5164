//! The kinds of game with their options and rule books.

use divelog_engine::Kind;
use divelog_ledger::convert;
use divelog_proto::v1 as pb;
use divelog_text::rule_book;

/// All kinds, in the order of their numbers.
pub fn kinds() -> Vec<pb::GameKindInfo> {
    Kind::ALL.iter().map(|kind| info(*kind)).collect()
}

fn info(kind: Kind) -> pb::GameKindInfo {
    pb::GameKindInfo {
        kind: convert::kind_to_proto(kind).into(),
        code_name: kind.code_name().into(),
        title: kind.title().into(),
        min_seats: (*kind.seats().start()).into(),
        max_seats: (*kind.seats().end()).into(),
        rules_version: kind.rules_version().into(),
        options: rule_book::options(kind),
        rules: rule_book::rules(kind),
        earlier_rules: rule_book::earlier_rules(kind),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_option_of_the_protos_is_described() {
        let pool = prost_reflect::DescriptorPool::decode(divelog_proto::FILE_DESCRIPTOR_SET).unwrap();
        let all = pool.get_message_by_name("divelog.v1.GameOptions").unwrap();
        for kind in kinds() {
            let field = all.get_field_by_name(&kind.code_name).unwrap().kind();
            let of_kind = field.as_message().unwrap();
            let fields: Vec<String> = of_kind.fields().map(|field| field.name().to_owned()).collect();
            let described: Vec<&str> = kind.options.iter().map(|option| option.name.as_str()).collect();
            assert_eq!(described, fields, "{}", kind.title);
        }
    }
}
