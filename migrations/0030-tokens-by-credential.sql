-- The operator sees and ends the tokens of one credential.
create index access_tokens_by_credential on access_tokens (merchant_id, credential_id);
