"""Users of Locust for the User Service: three times as many single users as lists, with a think time of 0.3 s."""

from itertools import cycle

from locust import FastHttpUser, constant, task


class StudyUser(FastHttpUser):
    """Asks, waits for the answer, thinks, and asks again."""

    wait_time = constant(0.3)
    ids = cycle(range(1, 11))

    @task(3)
    def get_user(self) -> None:
        """Ask for one user after the other."""
        self.client.get(f"/user/{next(self.ids)}", name="GetUser")

    @task(1)
    def list_users(self) -> None:
        """Ask for all."""
        self.client.get("/users", name="ListUsers")
