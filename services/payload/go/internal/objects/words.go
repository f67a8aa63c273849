package objects

// Words in objects; services/payload/python has the same.
var (
	adjectives = []string{"amber", "brisk", "calm", "dusty", "early", "faint", "gentle", "hollow",
		"idle", "jolly", "keen", "lively", "mellow", "narrow", "open", "plain"}
	nouns = []string{"anchor", "basket", "candle", "drawer", "engine", "feather", "garden", "hammer",
		"island", "jacket", "kettle", "lantern", "mirror", "needle", "oven", "pillow"}
	words = []string{"a", "about", "after", "before", "beside", "clear", "cold", "door", "early", "every", "field", "glass", "green",
		"hand", "house", "inside", "late", "light", "long", "morning", "never", "often", "paper", "quiet", "river",
		"round", "small", "stone", "under", "warm", "water", "window"}
	tags = []string{"archive", "bulk", "cheap", "daily", "export", "fragile", "gift", "heavy",
		"indoor", "kids", "light", "new", "outdoor", "rare", "spare", "used"}
	colours   = []string{"black", "blue", "green", "grey", "orange", "red", "white", "yellow"}
	materials = []string{"brass", "clay", "copper", "glass", "linen", "paper", "steel", "wood"}
	origins   = []string{"bought", "built", "found", "given", "hired", "lent", "made", "saved"}
	names     = []string{"Ada", "Ben", "Cleo", "Dan", "Eva", "Finn", "Gus", "Hana", "Ivo", "Jana", "Kim", "Leo", "Mia", "Nils", "Olga", "Per"}
	surnames  = []string{"Example", "Sample", "Specimen", "Pattern"}
	streets   = []string{"Bridge Street", "Canal Road", "Harbour Lane", "Mill Road", "Park Avenue", "School Lane", "Station Road",
		"Tower Street"}
	// Two of them have non-ASCII letters, so their length in bytes differs from that in characters.
	cities    = []string{"Bergen", "Dublin", "Genoa", "Málaga", "Porto", "Riga", "Turku", "Zürich"}
	countries = []string{"NO", "IE", "IT", "ES", "PT", "LV", "FI", "CH"}
	parts     = []string{"axle", "bolt", "cover", "frame", "gear", "handle", "hinge", "panel"}
)

// drawn returns the word selected by some bits; the number of words is a power of two, so each is equally likely.
func drawn(words []string, bits uint64) string {
	return words[bits%uint64(len(words))]
}
