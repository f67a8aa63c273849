package wiregauge.users;

import io.grpc.Status;
import io.grpc.stub.StreamObserver;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import user.v1.UserOuterClass.GetUserRequest;
import user.v1.UserOuterClass.GetUserResponse;
import user.v1.UserOuterClass.ListUsersRequest;
import user.v1.UserOuterClass.ListUsersResponse;
import user.v1.UserOuterClass.User;
import user.v1.UserServiceGrpc.UserServiceImplBase;

/** Answers with users from memory, as messages. */
final class UserService extends UserServiceImplBase {
    private final List<User> users;
    private final Map<Integer, User> byId;

    UserService(List<User> users) {
        this.users = users;
        byId = users.stream().collect(Collectors.toUnmodifiableMap(User::getId, Function.identity()));
    }

    @Override
    public void getUser(GetUserRequest request, StreamObserver<GetUserResponse> answers) {
        int id = request.getId();
        if (id <= 0) {
            String detail = "A user's id is a whole number from 1 to " + Integer.MAX_VALUE + ".";
            answers.onError(Status.INVALID_ARGUMENT.withDescription(detail).asRuntimeException());
            return;
        }
        User user = byId.get(id);
        if (user == null) {
            answers.onError(Status.NOT_FOUND.withDescription("No user has the id " + id + ".").asRuntimeException());
            return;
        }
        answers.onNext(GetUserResponse.newBuilder().setUser(user).build());
        answers.onCompleted();
    }

    @Override
    public void listUsers(ListUsersRequest request, StreamObserver<ListUsersResponse> answers) {
        answers.onNext(ListUsersResponse.newBuilder().addAllUsers(users).build());
        answers.onCompleted();
    }
}
