"""Every setting of the service, read once from the environment."""

from dataclasses import dataclass

from service_shared.environment import Environment
from service_shared.http_settings import HttpSettings, read_http_settings


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Settings of the service; the environment variable of a setting is its name in capitals."""

    host: str
    port: int
    # The first word of each answer.
    greeting: str
    http: HttpSettings


def read_settings(environment: Environment) -> Settings:
    """Return the settings; raises SettingError on a wrong value."""
    return Settings(
        host=environment.text("HOST", "127.0.0.1"),
        port=environment.whole("PORT", 5000, range(1, 65_536)),
        greeting=environment.text("GREETING", "Hello"),
        http=read_http_settings(environment),
    )
