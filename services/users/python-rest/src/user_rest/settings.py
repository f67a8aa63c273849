"""Settings of the REST service, read once from the environment: its own, gunicorn's, and those of its layers."""

from dataclasses import dataclass
from pathlib import Path

from service_shared.environment import Environment
from service_shared.http_settings import HttpSettings, read_http_settings

from user_rest.layers.settings import LayerSettings, read_layer_settings


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Settings of the service; the environment variable of a setting is its name in capitals."""

    host: str
    port: int
    users_file: Path
    http: HttpSettings
    layers: LayerSettings


def read_settings(environment: Environment) -> Settings:
    """Return the settings; raises SettingError on a wrong value."""
    return Settings(
        host=environment.text("HOST", "127.0.0.1"),
        port=environment.whole("PORT", 5000, range(1, 65_536)),
        users_file=environment.path("USERS_FILE", "services/users/users.json"),
        http=read_http_settings(environment),
        layers=read_layer_settings(environment),
    )
