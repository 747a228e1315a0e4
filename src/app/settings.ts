type Setting = { readonly name: string; readonly preset: string; readonly description: string };

/** All settings there are; the table of docs/configuration.md shows exactly these. An empty preset means "not set". */
export const SETTINGS: readonly Setting[] = [
  {
    name: 'PARCELA_ENVIRONMENT',
    preset: 'homologation',
    description: '`homologation` (simulator, demo merchant) or `production`',
  },
  { name: 'PARCELA_HOST', preset: '127.0.0.1', description: 'address that both APIs listen on' },
  { name: 'PARCELA_PORT', preset: '8080', description: 'port that both APIs listen on' },
  { name: 'PARCELA_GATEWAY_HOST', preset: '', description: 'address of the Gateway API, if it differs' },
  { name: 'PARCELA_GATEWAY_PORT', preset: '', description: 'port of the Gateway API, if it differs' },
  {
    name: 'PARCELA_GATEWAY_PREFIX',
    preset: '',
    description: 'path before the Gateway API, such as `/gateway`',
  },
  { name: 'PARCELA_INTEGRATION_HOST', preset: '', description: 'address of the Other APIs, if it differs' },
  { name: 'PARCELA_INTEGRATION_PORT', preset: '', description: 'port of the Other APIs, if it differs' },
  { name: 'PARCELA_INTEGRATION_PREFIX', preset: '', description: 'path before the Other APIs' },
  { name: 'PARCELA_METRICS_HOST', preset: '127.0.0.1', description: 'address of `/metrics`' },
  {
    name: 'PARCELA_METRICS_PORT',
    preset: '',
    description: 'port of `/metrics`; by default `PARCELA_PORT` + 1000',
  },
  {
    name: 'PARCELA_DATA_DIR',
    preset: '.parcela',
    description: 'folder of the embedded database, keys and demo data',
  },
  {
    name: 'DATABASE_URL',
    preset: '',
    description:
      'a PostgreSQL from 15 on, `postgres://…`; without it the embedded one is used (homologation only)',
  },
  {
    name: 'PARCELA_OWNER_DATABASE_URL',
    preset: '',
    description:
      'the same database as the owner of its tables, who migrates; `DATABASE_URL` can then not alter the audit log (docs/audit.md)',
  },
  {
    name: 'PARCELA_KEY_FILE',
    preset: '',
    description:
      'file of the key-encryption keys, mode 600; by default `keys/key-encryption-key.json` in the data folder',
  },
  {
    name: 'PARCELA_KEY',
    preset: '',
    description: 'instead of a key file: the key-encryption key itself, 32 bytes in base64',
  },
  {
    name: 'PARCELA_KEY_FORMER',
    preset: '',
    description: 'earlier values of `PARCELA_KEY`, separated by commas, that still open what they wrapped',
  },
  {
    name: 'PARCELA_DATABASE_WAIT_SECONDS',
    preset: '60',
    description: 'how long a start waits for a database that is on its way up',
  },
  {
    name: 'PARCELA_KEY_STORE_URL',
    preset: '',
    description:
      'instead of a key file: a key store for a KMS or an HSM (docs/key-store-protocol.md), `https://…` or on loopback',
  },
  {
    name: 'PARCELA_KEY_STORE_TOKEN_FILE',
    preset: '',
    description: 'file of the bearer token for `PARCELA_KEY_STORE_URL`',
  },
  {
    name: 'PARCELA_ACQUIRER_URL',
    preset: '',
    description:
      'bridge to the acquirer (docs/acquirer-protocol.md); without it the simulator (homologation only)',
  },
  {
    name: 'PARCELA_ACQUIRER_TIMEOUT_MILLISECONDS',
    preset: '8000',
    description: 'how long the acquirer may take',
  },
  {
    name: 'PARCELA_BILLING_ACQUIRER_TIMEOUT_MILLISECONDS',
    preset: '30000',
    description: 'how long the acquirer may take for a recurring charge, for which no caller waits',
  },
  {
    name: 'PARCELA_BILLING_SEARCH_MILLISECONDS',
    preset: '60000',
    description:
      'how long the acquirer is asked for a recurring charge that it did not answer and does not know, before that is voided and sent again',
  },
  {
    name: 'PARCELA_ACQUIRER_CHANGES_SECONDS',
    preset: '',
    description:
      'between two questions to the acquirer about payments, blocks and chargebacks; by default 60, 1 in homologation',
  },
  {
    name: 'PARCELA_REQUEST_DEADLINE_MILLISECONDS',
    preset: '15000',
    description: 'how long a request may take in all',
  },
  {
    name: 'PARCELA_DRAIN_SECONDS',
    preset: '',
    description:
      'how long a process that is to stop says 503 at `/health/ready` and goes on serving, before it closes (docs/proxy/README.md); by default 5, 0 in homologation',
  },
  {
    name: 'PARCELA_SIMULATOR_LATE_MILLISECONDS',
    preset: '',
    description: 'how late the simulator answers amounts that end in 1003; by default 2000 after the timeout',
  },
  {
    name: 'PARCELA_MINIMUM_INSTALLMENT_CENTS',
    preset: '1',
    description: 'smallest installment of a payment',
  },
  {
    name: 'PARCELA_FEES',
    preset: '',
    description:
      'what you keep of a sale, as `visa:1=2.49, any:2-12=3.1`: brand, installments, percent; a split of type `liquido` is of the rest',
  },
  {
    name: 'PARCELA_NETWORK_LIMITS',
    preset: 'enforce',
    description:
      'another try of a declined card that its network would fine: `enforce` (refused), `observe` (sent and counted) or `off`',
  },
  {
    name: 'PARCELA_CANCEL_WINDOW_DAYS',
    preset: '180',
    description: 'days after the sale in which a payment can be canceled',
  },
  {
    name: 'PARCELA_CHARGE_WINDOW',
    preset: '',
    description:
      'part of each day (São Paulo) over which its recurring charges are spread, such as `06:00-20:00`; without it they begin with the day',
  },
  {
    name: 'PARCELA_CHARGES_AT_ONCE',
    preset: '64',
    description:
      'recurring charges that this process has with the acquirer at the same time; `0`: none, other processes charge, and block what was charged back',
  },
  {
    name: 'PARCELA_TRUSTED_PROXIES',
    preset: '',
    description: 'addresses or networks, separated by commas, whose X-Forwarded-For is believed',
  },
  {
    name: 'PARCELA_REQUESTS_PER_SECOND_PER_CREDENTIAL',
    preset: '1000',
    description: 'requests per second and process of one credential; beyond: 429',
  },
  {
    name: 'PARCELA_REQUESTS_PER_SECOND_PER_MERCHANT',
    preset: '2000',
    description: 'requests per second and process of one merchant; beyond: 429',
  },
  {
    name: 'PARCELA_LOGIN_FAILURES_PER_USER_NAME',
    preset: '50',
    description: 'failed logins of one user name from addresses not on its list, until all of them wait',
  },
  {
    name: 'PARCELA_LOGIN_FAILURES_PER_ADDRESS',
    preset: '100',
    description: 'failed logins from one address over all user names, until it waits',
  },
  {
    name: 'PARCELA_ANTIFRAUD_RULES',
    preset: '',
    description:
      'rules of velocity (docs/antifraud.md), or `none`; by default those of that page in production, none in homologation',
  },
  {
    name: 'PARCELA_ANTIFRAUD_TIMEOUT_MILLISECONDS',
    preset: '1000',
    description: 'how long the anti-fraud decision may take',
  },
  {
    name: 'PARCELA_ANTIFRAUD_WHEN_SILENT',
    preset: 'review',
    description: 'the verdict when no decision comes in time: `accept`, `review` or `reject`',
  },
  {
    name: 'PARCELA_CLOCK_ANSWER_MILLISECONDS',
    preset: '60000',
    description:
      'homologation: how long a caller waits for a jump of the test clock until the answer is 202 (docs/test-clock.md)',
  },
  {
    name: 'PARCELA_WEBHOOK_NETWORKS',
    preset: '',
    description:
      'addresses or networks that are not public and may be called all the same, such as `10.1.0.0/16` (docs/webhooks.md)',
  },
  {
    name: 'PARCELA_WEBHOOK_RETENTION_DAYS',
    preset: '30',
    description: 'days for which a delivery to a webhook is kept after it was delivered or given up',
  },
  {
    name: 'PARCELA_WEBHOOK_TESTS_PER_MINUTE',
    preset: '10',
    description: 'test notifications a minute and process of one merchant; beyond: 429',
  },
  {
    name: 'PARCELA_HOLD_WORK',
    preset: '0',
    description:
      '`1`: nothing is charged, resolved, voided or sent to merchants, and requests that would are answered 503; reads work (docs/restore.md)',
  },
  { name: 'PARCELA_LOG_LEVEL', preset: 'info', description: '`debug`, `info`, `warn`, `error` or `silent`' },
  {
    name: 'PARCELA_LOG_FORMAT',
    preset: 'auto',
    description: '`json`, `pretty` (for people), or `auto`: `pretty` on a terminal, else `json`',
  },
];
