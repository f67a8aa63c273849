package games

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strconv"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
)

// The whole catalog comes in one batch.
const batch = 1_000

// Database is the indexed catalog, with a separate collection without an index for added games.
type Database struct {
	catalog, added *mongo.Collection
	limit          time.Duration
}

// Open returns the games with their catalog filled. `limit` is the time limit of a request for the database.
func Open(ctx context.Context, url string, connections int, limit time.Duration) (Database, error) {
	client, err := mongo.Connect(options.Client().ApplyURI(url).SetMaxPoolSize(uint64(connections)).SetServerSelectionTimeout(limit))
	if err != nil {
		return Database{}, failed(err)
	}
	opened := Database{catalog: client.Database("games").Collection("catalog"), added: client.Database("games").Collection("added"), limit: limit}
	return opened, opened.fill(ctx)
}

func (d Database) fill(ctx context.Context) error {
	catalog, err := Catalog()
	if err != nil {
		return err
	}
	documents := make([]any, len(catalog))
	for at, game := range catalog {
		documents[at] = struct {
			Key  string `bson:"_id"`
			Game `bson:",inline"`
		}{key(game.ID), game}
	}
	limited, cancel := context.WithTimeout(ctx, d.limit)
	defer cancel()
	if _, err = d.catalog.InsertMany(limited, documents, options.InsertMany().SetOrdered(false)); mongo.IsDuplicateKeyError(err) {
		return nil
	}
	return failed(err)
}

// Add stores the game with all added ones, even if it already exists.
func (d Database) Add(ctx context.Context, game Game) (Kept, error) {
	limited, cancel := context.WithTimeout(ctx, d.limit)
	defer cancel()
	_, err := d.added.InsertOne(limited, game)
	return Kept{game.ID, game.Title}, failed(err)
}

// Get returns the game of the catalog with the id, or nil.
func (d Database) Get(ctx context.Context, id int32) (*Game, error) {
	limited, cancel := context.WithTimeout(ctx, d.limit)
	defer cancel()
	var game Game
	err := d.catalog.FindOne(limited, byID(id)).Decode(&game)
	if errors.Is(err, mongo.ErrNoDocuments) {
		return nil, nil
	}
	return &game, failed(err)
}

// List returns the whole catalog, by id.
func (d Database) List(ctx context.Context) ([]Game, error) { return d.found(ctx, bson.D{}) }

// ByPublisher returns the publisher's games in the catalog, by id.
func (d Database) ByPublisher(ctx context.Context, publisher string) ([]Game, error) {
	return d.found(ctx, bson.D{{Key: "publisher", Value: publisher}})
}

// Update replaces the game in the catalog with its id, or adds it.
func (d Database) Update(ctx context.Context, game Game) (Kept, error) {
	limited, cancel := context.WithTimeout(ctx, d.limit)
	defer cancel()
	_, err := d.catalog.ReplaceOne(limited, byID(game.ID), game, options.Replace().SetUpsert(true))
	return Kept{game.ID, game.Title}, failed(err)
}

// Delete removes the game from the catalog, if it exists.
func (d Database) Delete(ctx context.Context, id int32) (Deleted, error) {
	limited, cancel := context.WithTimeout(ctx, d.limit)
	defer cancel()
	_, err := d.catalog.DeleteOne(limited, byID(id))
	return Deleted{id}, failed(err)
}

func (d Database) found(ctx context.Context, wanted bson.D) ([]Game, error) {
	limited, cancel := context.WithTimeout(ctx, d.limit)
	defer cancel()
	cursor, err := d.catalog.Find(limited, wanted, options.Find().SetBatchSize(batch))
	if err != nil {
		return nil, failed(err)
	}
	// Not nil, which is null in JSON.
	found := []Game{}
	err = cursor.All(limited, &found)
	slices.SortFunc(found, func(one, other Game) int { return cmp.Compare(one.ID, other.ID) })
	return found, failed(err)
}

func byID(id int32) bson.D { return bson.D{{Key: "_id", Value: key(id)}} }

// key is a text, for which FerretDB's index also works.
func key(id int32) string { return strconv.Itoa(int(id)) }

func failed(err error) error {
	if err == nil {
		return nil
	}
	return failure{ErrDatabase, "The database failed: " + err.Error()}
}
