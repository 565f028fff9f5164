"""What any gRPC tool asks a server before it knows anything of it: health, and reflection."""

from google.protobuf.descriptor_pool import DescriptorPool
from google.protobuf.message_factory import GetMessageClass
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection_pb2
from grpc_reflection.v1alpha.proto_reflection_descriptor_database import ProtoReflectionDescriptorDatabase

SERVICES = [
    "divelog.v1.AdminService",
    "divelog.v1.AuditService",
    "divelog.v1.GameService",
    "divelog.v1.TransparencyService",
]


def check_health(table):
    health = health_pb2_grpc.HealthStub(table.channel)
    for service in ["", *SERVICES]:
        answer = health.Check(health_pb2.HealthCheckRequest(service=service))
        assert answer.status == health_pb2.HealthCheckResponse.SERVING, service
        watch = health.Watch(health_pb2.HealthCheckRequest(service=service))
        assert next(watch).status == health_pb2.HealthCheckResponse.SERVING, service
        watch.cancel()


def check_reflection_v1(table):
    """The newer name of the same service; its messages are those of v1alpha."""
    call = table.channel.stream_stream(
        "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo",
        request_serializer=reflection_pb2.ServerReflectionRequest.SerializeToString,
        response_deserializer=reflection_pb2.ServerReflectionResponse.FromString,
    )
    answer = next(call(iter([reflection_pb2.ServerReflectionRequest(list_services="")])))
    services = {service.name for service in answer.list_services_response.service}
    assert services >= {*SERVICES, "grpc.health.v1.Health"}, services


def check_reflection(table):
    """Finds the services, learns their messages from the server alone, and makes a call with them."""
    database = ProtoReflectionDescriptorDatabase(table.channel)
    services = set(database.get_services())
    assert services >= {*SERVICES, "grpc.health.v1.Health"}, services
    check_reflection_v1(table)
    pool = DescriptorPool(database)
    service = pool.FindServiceByName("divelog.v1.GameService")
    methods = {method.name for method in service.methods}
    expected = {
        "ListGameKinds", "PrepareGame", "CreateGame", "GetGame", "ListGames", "ListLegalActions", "SubmitAction", "SubmitActions",
        "WatchGame", "AbandonGame",
    }
    assert methods == expected, methods
    assert pool.FindMessageTypeByName("divelog.v1.Record").fields_by_name["nonce"].number == 10
    assert pool.FindMessageTypeByName("divelog.games.deep_sea_adventure.v1.View")
    method = service.methods_by_name["ListGameKinds"]
    request, response = GetMessageClass(method.input_type), GetMessageClass(method.output_type)
    call = table.channel.unary_unary(
        f"/{service.full_name}/{method.name}",
        request_serializer=request.SerializeToString,
        response_deserializer=response.FromString,
    )
    kinds = call(request()).kinds
    names = [value.name.removeprefix("GAME_KIND_").lower() for value in pool.FindEnumTypeByName("divelog.v1.GameKind").values]
    assert ["unspecified", *(kind.code_name for kind in kinds)] == names
    assert [rule.id for rule in kinds[0].rules][:2] == ["DSA-0", "DSA-1"]
