ALTER TABLE `sessions` ADD `provider_sid` text;
--> statement-breakpoint
CREATE INDEX `sessions_provider` ON `sessions` (`provider_sid`) WHERE "sessions"."provider_sid" IS NOT NULL