"""The settings of both services against their manifests."""

from collections.abc import Callable
from typing import Any

import pytest
from running import manifest as manifest_of
from service_shared.environment import Environment, as_environment
from user_grpc.settings import Settings as GrpcSettings
from user_grpc.settings import read_settings as read_grpc_settings
from user_rest.settings import Settings as RestSettings
from user_rest.settings import read_settings as read_rest_settings

# Given by whoever starts the service: Wiregauge, the image or a benchmark.
OF_THE_START = {"HOST", "PORT", "USERS_FILE", "EXTRA_WORK"}
# Of a store outside of the service; the services that have one spell them out.
OF_A_STORE = {"DATABASE_URL", "POOL_SIZE", "DATABASE_TIMEOUT_SECONDS", "REDIS_URL", "CACHE_SECONDS"}
STORED = ["rest-postgres", "grpc-postgres", "rest-redis", "grpc-redis"]
READERS: dict[str, Callable[[Environment], RestSettings | GrpcSettings]] = {
    "rest": read_rest_settings,
    "grpc": read_grpc_settings,
}


@pytest.mark.parametrize("service", READERS)
def test_manifest_spells_out_every_default(service: str) -> None:
    manifest: Any = manifest_of(service)

    defaults = as_environment(READERS[service](Environment({})))

    assert manifest["environment"] == {
        name: value for name, value in defaults.items() if name not in OF_THE_START | OF_A_STORE
    }
    assert manifest["port"] == int(defaults["PORT"])


@pytest.mark.parametrize(
    "service", ["rest", "rest-development", "rest-caching", "rest-caching-computed", "grpc", *STORED]
)
def test_printed_settings_give_the_same_settings_again(service: str) -> None:
    read = READERS[service.split("-")[0]]
    manifest: Any = manifest_of(service)

    settings = read(Environment(manifest["environment"]))

    assert read(Environment(as_environment(settings))) == settings
    assert as_environment(settings).items() >= manifest["environment"].items()


@pytest.mark.parametrize("service", STORED)
def test_a_service_with_a_store_spells_out_every_setting(service: str) -> None:
    read = READERS[service.split("-")[0]]
    manifest = manifest_of(service)
    defaults = as_environment(read(Environment({})))
    others = {"STORE", "USERS", "DATABASE_URL", "REDIS_URL", "CACHING"}
    if service.endswith("-postgres"):
        others.add("CACHE_SECONDS")

    assert {name: value for name, value in manifest["environment"].items() if name not in others} == {
        name: value for name, value in defaults.items() if name not in OF_THE_START | others
    }
    assert manifest["environment"]["STORE"] == ("postgres" if service.endswith("-postgres") else "postgres-redis")
