"""Opens the store that the settings name."""

from collections.abc import Mapping

from service_shared.store_settings import StoreSettings
from service_shared.stores import UserStore
from service_shared.users import User


def open_store(settings: StoreSettings, users: Mapping[int, User]) -> UserStore:
    """Return the store with all its users, ready to be asked; raises StoreError if it is not there in time.

    It must be opened in the process that asks it, behind what gevent replaces there.
    """
    # Here, since a service with its users in memory needs neither.
    from service_shared.stored_users import open_stored_users

    stored = open_stored_users(settings, users)
    if settings.store == "postgres":
        return stored
    from service_shared.cached_users import open_cached_users

    return open_cached_users(settings, stored)
