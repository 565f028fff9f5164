//! What the door knows of each method before its call begins: who sends a stream, and how large an answer may be.

/// How large a single answer is as a rule: larger ones have a line in the table.
const SMALL: usize = 4 * 1024;

/// A method.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Method {
    /// Whether the caller sends a stream of requests.
    pub requests: bool,
    /// The answers.
    pub answers: Answers,
    /// Whether a server that stops waits for its calls. Not for those that last as long as their callers like, and are idle
    /// but for a moment.
    pub awaited: bool,
}

/// The answers of a method.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answers {
    /// One, of about so many bytes at most: there is room for that before the call begins, so that calls which are begun
    /// together do not come to more than there is room for. What an answer really has is counted as soon as it is made.
    One(usize),
    /// A stream of them: the next one is made when there is room.
    Stream,
    /// The same, and of these only so many are open: each lasts as long as its caller likes, and nothing else limits them.
    HealthWatch,
}

const fn one(bytes: usize) -> Method {
    Method { requests: false, answers: Answers::One(bytes), awaited: true }
}

const STREAM: Method = Method { requests: false, answers: Answers::Stream, awaited: true };
const BOTH: Method = Method { requests: true, answers: Answers::Stream, awaited: true };

/// The method of a path. One that is not known has a short answer, which says so.
pub fn method(path: &str) -> Method {
    let Some((service, method)) = path.strip_prefix('/').and_then(|path| path.split_once('/')) else {
        return one(SMALL);
    };
    match (service, method) {
        ("divelog.v1.GameService", method) => match method {
            "SubmitActions" => BOTH,
            "WatchGame" => STREAM,
            // A page is no larger (`session::listing`).
            "ListGames" => one(crate::session::MAX_PAGE_BYTES + SMALL),
            "GetGame" | "ListLegalActions" => one(4 * SMALL),
            "ListGameKinds" => one(16 * SMALL),
            _ => one(SMALL),
        },
        ("divelog.v1.AuditService", method) => match method {
            "ReadLog" | "ReplayGame" => STREAM,
            // No size is known before it is made: so two are made at a time on a connection, and 16 in all.
            "ExportBundle" => one(4 * 1024 * 1024),
            "ListRefusals" => one(128 * 1024),
            _ => one(SMALL),
        },
        ("divelog.v1.TransparencyService", _) => one(2 * SMALL),
        ("divelog.v1.AdminService", "Backup") => STREAM,
        ("grpc.health.v1.Health", "Watch") => Method { requests: false, answers: Answers::HealthWatch, awaited: false },
        ("grpc.reflection.v1.ServerReflection" | "grpc.reflection.v1alpha.ServerReflection", _) => {
            Method { awaited: false, ..BOTH }
        }
        _ => one(SMALL),
    }
}

#[cfg(test)]
mod tests {
    use prost::Message;
    use prost_types::FileDescriptorSet;

    use super::*;

    #[test]
    fn the_table_agrees_with_the_protos() {
        let mut methods = 0;
        for descriptors in [
            divelog_proto::FILE_DESCRIPTOR_SET,
            tonic_health::pb::FILE_DESCRIPTOR_SET,
            tonic_reflection::pb::v1::FILE_DESCRIPTOR_SET,
            tonic_reflection::pb::v1alpha::FILE_DESCRIPTOR_SET,
        ] {
            for file in FileDescriptorSet::decode(descriptors).unwrap().file {
                for service in &file.service {
                    for known in &service.method {
                        let path = format!("/{}.{}/{}", file.package(), service.name(), known.name());
                        let Method { requests, answers, .. } = method(&path);
                        let streams = (requests, !matches!(answers, Answers::One(_)));
                        assert_eq!(streams, (known.client_streaming(), known.server_streaming()), "{path}");
                        methods += 1;
                    }
                }
            }
        }
        assert!(methods > 20, "{methods}");
        assert_eq!(method("/nonsense"), one(SMALL));
        assert_eq!(method(""), one(SMALL));
    }
}
