package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"slices"
)

// user is a person known to the service.
type user struct {
	ID    int32  `json:"id"`
	Name  string `json:"name"`
	Email string `json:"email"`
	Age   int32  `json:"age"`
}

// userList is the answer with all users, in the order of their ids, and the form of the file that they are read from.
type userList struct {
	Users []user `json:"users"`
}

func readUsers(path string) (userList, error) {
	var list userList
	text, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(text, &list)
	}
	if err != nil {
		return userList{}, fmt.Errorf("USERS_FILE %s cannot be read as users: %w", path, err)
	}
	slices.SortFunc(list.Users, func(left, right user) int { return cmp.Compare(left.ID, right.ID) })
	return list, nil
}
