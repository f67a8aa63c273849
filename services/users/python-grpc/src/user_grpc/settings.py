"""Settings of the gRPC service, read once from the environment: its own, grpcio's, and those of its layers."""

from dataclasses import dataclass
from pathlib import Path

from service_shared.environment import Environment
from service_shared.grpc_settings import GrpcSettings, read_grpc_settings

from user_grpc.layers.settings import LayerSettings, read_layer_settings


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Settings of the service; the environment variable of a setting is its name in capitals."""

    host: str
    port: int
    users_file: Path
    grpc: GrpcSettings
    layers: LayerSettings


def read_settings(environment: Environment) -> Settings:
    """Return the settings; raises SettingError on a wrong value."""
    return Settings(
        host=environment.text("HOST", "127.0.0.1"),
        port=environment.whole("PORT", 50_051, range(1, 65_536)),
        users_file=environment.path("USERS_FILE", "services/users/users.json"),
        grpc=read_grpc_settings(environment),
        layers=read_layer_settings(environment),
    )
