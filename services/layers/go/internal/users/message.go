package users

import (
	"google.golang.org/protobuf/types/known/timestamppb"

	"wiregauge/services/lib/pb/layersv1"
)

var roleNumbers = map[string]layersv1.Role{
	"member": layersv1.Role_ROLE_MEMBER, "editor": layersv1.Role_ROLE_EDITOR, "admin": layersv1.Role_ROLE_ADMIN,
}

var statusNumbers = map[string]layersv1.Status{
	"active": layersv1.Status_STATUS_ACTIVE, "suspended": layersv1.Status_STATUS_SUSPENDED,
}

var (
	roleNames   = turned(roleNumbers)
	statusNames = turned(statusNumbers)
)

func turned[Number comparable](numbers map[string]Number) map[Number]string {
	names := make(map[Number]string, len(numbers))
	for name, number := range numbers {
		names[number] = name
	}
	return names
}

// Message returns a user in its gRPC form.
func (user User) Message() *layersv1.User {
	return &layersv1.User{
		Id:            user.ID,
		Username:      user.Username,
		Email:         user.Email,
		FirstName:     user.FirstName,
		LastName:      user.LastName,
		Phone:         user.Phone,
		AvatarUrl:     user.AvatarURL,
		Role:          roleNumbers[user.Role],
		Status:        statusNumbers[user.Status],
		EmailVerified: user.EmailVerified,
		LoginCount:    user.LoginCount,
		CreatedAt:     timestamppb.New(user.CreatedAt),
		UpdatedAt:     timestamppb.New(user.UpdatedAt),
		LastLoginAt:   timestamppb.New(user.LastLoginAt),
	}
}

// FromMessage reads a user.
func FromMessage(message *layersv1.User) User {
	return User{
		ID:            message.GetId(),
		Username:      message.GetUsername(),
		Email:         message.GetEmail(),
		FirstName:     message.GetFirstName(),
		LastName:      message.GetLastName(),
		Phone:         message.GetPhone(),
		AvatarURL:     message.GetAvatarUrl(),
		Role:          roleNames[message.GetRole()],
		Status:        statusNames[message.GetStatus()],
		EmailVerified: message.GetEmailVerified(),
		LoginCount:    message.GetLoginCount(),
		CreatedAt:     message.GetCreatedAt().AsTime(),
		UpdatedAt:     message.GetUpdatedAt().AsTime(),
		LastLoginAt:   message.GetLastLoginAt().AsTime(),
	}
}

// Message returns a page in its gRPC form.
func (list List) Message() *layersv1.ListUsersResponse {
	made := make([]*layersv1.User, len(list.Users))
	for index, user := range list.Users {
		made[index] = user.Message()
	}
	page := list.Page
	return &layersv1.ListUsersResponse{
		Users: made, Page: int32(page.Number), PageSize: int32(page.Size), Total: int32(page.Total), Pages: int32(page.Pages),
	}
}

// ListFromMessage reads a page.
func ListFromMessage(message *layersv1.ListUsersResponse) List {
	read := make([]User, len(message.GetUsers()))
	for index, one := range message.GetUsers() {
		read[index] = FromMessage(one)
	}
	return List{Users: read, Page: Page{
		Number: int(message.GetPage()), Size: int(message.GetPageSize()), Total: int(message.GetTotal()), Pages: int(message.GetPages()),
	}}
}
