"""Words in objects; services/payload/go has the same."""

# fmt: off
ADJECTIVES = ("amber", "brisk", "calm", "dusty", "early", "faint", "gentle", "hollow",
              "idle", "jolly", "keen", "lively", "mellow", "narrow", "open", "plain")
NOUNS = ("anchor", "basket", "candle", "drawer", "engine", "feather", "garden", "hammer",
         "island", "jacket", "kettle", "lantern", "mirror", "needle", "oven", "pillow")
WORDS = ("a", "about", "after", "before", "beside", "clear", "cold", "door",
         "early", "every", "field", "glass", "green", "hand", "house", "inside",
         "late", "light", "long", "morning", "never", "often", "paper", "quiet",
         "river", "round", "small", "stone", "under", "warm", "water", "window")
TAGS = ("archive", "bulk", "cheap", "daily", "export", "fragile", "gift", "heavy",
        "indoor", "kids", "light", "new", "outdoor", "rare", "spare", "used")
COLOURS = ("black", "blue", "green", "grey", "orange", "red", "white", "yellow")
MATERIALS = ("brass", "clay", "copper", "glass", "linen", "paper", "steel", "wood")
ORIGINS = ("bought", "built", "found", "given", "hired", "lent", "made", "saved")
NAMES = ("Ada", "Ben", "Cleo", "Dan", "Eva", "Finn", "Gus", "Hana",
         "Ivo", "Jana", "Kim", "Leo", "Mia", "Nils", "Olga", "Per")
SURNAMES = ("Example", "Sample", "Specimen", "Pattern")
STREETS = ("Bridge Street", "Canal Road", "Harbour Lane", "Mill Road", "Park Avenue", "School Lane", "Station Road",
           "Tower Street")
# Two of them have non-ASCII letters, so their length in bytes differs from that in characters.
CITIES = ("Bergen", "Dublin", "Genoa", "Málaga", "Porto", "Riga", "Turku", "Zürich")
COUNTRIES = ("NO", "IE", "IT", "ES", "PT", "LV", "FI", "CH")
PARTS = ("axle", "bolt", "cover", "frame", "gear", "handle", "hinge", "panel")
