-- Items of the trash that a node moves or removes. After a crash of the server, none is held: what was under way has
-- failed with it.
CREATE UNLOGGED TABLE "holds" ("item" text COLLATE "C" PRIMARY KEY, "node" text COLLATE "C" NOT NULL)
