CREATE TABLE "webhook_deliveries" (
	"webhook_id" text COLLATE "C" NOT NULL,
	"event_id" text COLLATE "C" NOT NULL,
	"type" text COLLATE "C" NOT NULL,
	"body" text COLLATE "C" NOT NULL,
	"state" text COLLATE "C" NOT NULL,
	"attempts" bigint NOT NULL,
	"next_at" bigint NOT NULL,
	"status" bigint,
	"error" text COLLATE "C",
	"created_at" bigint NOT NULL,
	CONSTRAINT "webhook_deliveries_webhook_id_event_id_pk" PRIMARY KEY("webhook_id","event_id")
);

CREATE TABLE "webhooks" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"name" text COLLATE "C" NOT NULL,
	"url" text COLLATE "C" NOT NULL,
	"secret" text COLLATE "C" NOT NULL,
	"events" text COLLATE "C" NOT NULL,
	"for_shares" bigint NOT NULL,
	"enabled" bigint NOT NULL,
	"created_at" bigint NOT NULL,
	"updated_at" bigint NOT NULL
);

ALTER TABLE "shares" ADD COLUMN "notify" text COLLATE "C";
CREATE INDEX "webhook_deliveries_due" ON "webhook_deliveries" USING btree ("next_at") WHERE "state" = 'pending';
CREATE INDEX "webhook_deliveries_newest" ON "webhook_deliveries" USING btree ("webhook_id","created_at" desc,"event_id" desc);
CREATE INDEX "webhook_deliveries_created" ON "webhook_deliveries" USING btree ("created_at");
CREATE INDEX "shares_expires" ON "shares" USING btree ("expires_at")