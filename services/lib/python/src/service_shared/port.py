"""Binding of a service's port."""

import socket

from service_shared.environment import SettingError


def take_port(host: str, port: int) -> socket.socket:
    """Return a socket bound to the address, not yet listening; raises SettingError if it cannot be used."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        taken = socket.socket(family, kind, protocol)
        try:
            # Without it a restart fails while old connections are in TIME_WAIT.
            taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            taken.bind(address)
        except OSError:
            taken.close()
            raise
    except OSError as error:
        raise SettingError(f"cannot listen on {host}:{port}: {error.strerror}; choose another HOST or PORT") from error
    return taken


def reachable_host(host: str) -> str:
    """Return the host at which a client on this machine reaches a service that listens on this host."""
    return {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)
