// Package folder gives a database its own folder, and removes folders that killed ones have left.
package folder

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
)

const prefix = "games-database-"

// Own creates a folder of this process below parent, and removes those of databases that were killed. Each database locks its
// folder for as long as it runs.
func Own(parent string) (string, error) {
	if err := removeAbandoned(parent); err != nil {
		return "", err
	}
	// The name is ignored by other processes until the folder is locked.
	fresh, err := os.MkdirTemp(parent, "new-"+prefix)
	if err != nil {
		return "", err
	}
	if _, err := lock(fresh); err != nil {
		return "", errors.Join(err, os.RemoveAll(fresh))
	}
	folder := filepath.Join(parent, prefix+filepath.Base(fresh)[len("new-"+prefix):])
	return folder, os.Rename(fresh, folder)
}

func removeAbandoned(parent string) error {
	folders, err := filepath.Glob(filepath.Join(parent, prefix+"*"))
	if err != nil {
		return err
	}
	for _, folder := range folders {
		// Folders in use, and those of other users, are kept.
		if held, err := lock(folder); err == nil {
			err = errors.Join(os.RemoveAll(folder), syscall.Close(held))
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// lock locks a folder until the descriptor that it returns is closed, or this process ends.
func lock(folder string) (int, error) {
	held, err := syscall.Open(folder, syscall.O_RDONLY|syscall.O_DIRECTORY|syscall.O_CLOEXEC, 0)
	if err != nil {
		return 0, err
	}
	if err := syscall.Flock(held, syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		return 0, errors.Join(err, syscall.Close(held))
	}
	return held, nil
}
