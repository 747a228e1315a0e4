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
    name: 'DATABASE_URL_FILE',
    preset: '',
    description: 'file, or descriptor such as `/dev/fd/3`, with the value of `DATABASE_URL`',
  },
  {
    name: 'PARCELA_OWNER_DATABASE_URL',
    preset: '',
    description:
      'the same database as the owner of its tables, who migrates; `DATABASE_URL` can then not alter the audit log (docs/audit.md)',
  },
  {
    name: 'PARCELA_OWNER_DATABASE_URL_FILE',
    preset: '',
    description: 'file or descriptor with the value of `PARCELA_OWNER_DATABASE_URL`',
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
    description:
      'instead of a key file: the key-encryption key itself, 32 bytes in base64; not in production, see `PARCELA_KEY_VALUE_FILE`',
  },
  {
    name: 'PARCELA_KEY_VALUE_FILE',
    preset: '',
    description:
      'file or descriptor with the value of `PARCELA_KEY` (`PARCELA_KEY_FILE` names a key file, which holds several)',
  },
  {
    name: 'PARCELA_KEY_FORMER',
    preset: '',
    description: 'earlier values of `PARCELA_KEY`, separated by commas, that still open what they wrapped',
  },
  {
    name: 'PARCELA_KEY_FORMER_FILE',
    preset: '',
    description: 'file or descriptor with the value of `PARCELA_KEY_FORMER`',
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
    name: 'PARCELA_KEY_STORE_CA_FILE',
    preset: '',
    description: 'PEM file of the authorities that the key store is believed by, instead of the public ones',
  },
  {
    name: 'PARCELA_KEY_STORE_CERTIFICATE_FILE',
    preset: '',
    description: 'PEM file of the certificate that we show the key store',
  },
  {
    name: 'PARCELA_KEY_STORE_CERTIFICATE_KEY_FILE',
    preset: '',
    description: 'PEM file of the private key of `PARCELA_KEY_STORE_CERTIFICATE_FILE`',
  },
  {
    name: 'PARCELA_ACQUIRER_URL',
    preset: '',
    description:
      'bridge to the acquirer (docs/acquirer-protocol.md); without it the simulator (homologation only)',
  },
  {
    name: 'PARCELA_ACQUIRER_TOKEN_FILE',
    preset: '',
    description: 'file of the bearer token for `PARCELA_ACQUIRER_URL`',
  },
  {
    name: 'PARCELA_ACQUIRER_CA_FILE',
    preset: '',
    description: 'PEM file of the authorities that the bridge is believed by, instead of the public ones',
  },
  {
    name: 'PARCELA_ACQUIRER_CERTIFICATE_FILE',
    preset: '',
    description: 'PEM file of the certificate that we show the bridge',
  },
  {
    name: 'PARCELA_ACQUIRER_CERTIFICATE_KEY_FILE',
    preset: '',
    description: 'PEM file of the private key of `PARCELA_ACQUIRER_CERTIFICATE_FILE`',
  },
  {
    name: 'PARCELA_UNGUARDED_CHANNELS',
    preset: '',
    description:
      'some of `acquirer`, `antifraud`, `keyStore` (need neither certificate nor token) and `database` (needs no `sslmode=verify-full`) on other machines in production, because something else guards them (docs/operating.md)',
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
  { name: 'PARCELA_DOCS', preset: '1', description: '`0`: `/docs` and `/openapi.json` are unknown paths' },
  {
    name: 'PARCELA_CONNECTIONS',
    preset: '8000',
    description: 'connections that a process takes; beyond, they are closed at once',
  },
  {
    name: 'PARCELA_CONNECTIONS_PER_ADDRESS',
    preset: '1000',
    description: 'connections from one address (IPv6: one network of 64 bits) that is no trusted proxy',
  },
  {
    name: 'PARCELA_REQUESTS_AT_ONCE',
    preset: '2000',
    description: 'places: requests that a process works at; beyond: 503 (docs/operating.md)',
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
    name: 'PARCELA_PASSWORD_MAX_AGE_DAYS',
    preset: '0',
    description:
      'a password that is so many days old is refused like a wrong one, until the operator rotates it; `0`: never',
  },
  {
    name: 'PARCELA_CREDENTIAL_UNUSED_DAYS',
    preset: '0',
    description:
      'a credential without a login for so many days is refused like a wrong password, until the operator rotates it; `0`: never',
  },
  {
    name: 'PARCELA_STORED_COPIES',
    preset: '',
    description:
      'how often a merchant may store one card; by default 20 in production, 10000 in homologation, where trial cards are few',
  },
  {
    name: 'PARCELA_EXPIRED_CARD_RETENTION_DAYS',
    preset: '0',
    description:
      'days after its expiry for which a stored card is kept that no active or blocked subscription uses; `0`: without end',
  },
  {
    name: 'PARCELA_ANTIFRAUD_RULES',
    preset: '',
    description:
      'rules of velocity (docs/antifraud.md), or `none`; by default those of that page in production, none in homologation',
  },
  {
    name: 'PARCELA_CARD_TESTING',
    preset: 'stop',
    description:
      'new cards of a merchant where nearly all are declined: `stop` (refused for a while), `observe` (alarm only) or `off`; needs rules of velocity',
  },
  {
    name: 'PARCELA_ANTIFRAUD_TIMEOUT_MILLISECONDS',
    preset: '1000',
    description: 'how long the rules of velocity may take',
  },
  {
    name: 'PARCELA_ANTIFRAUD_WHEN_SILENT',
    preset: 'review',
    description: 'the verdict when no decision comes in time: `accept`, `review` or `reject`',
  },
  {
    name: 'PARCELA_ANTIFRAUD_URL',
    preset: '',
    description:
      'a provider that is asked after the rules of velocity (docs/antifraud-protocol.md), `https://…` or on loopback',
  },
  {
    name: 'PARCELA_ANTIFRAUD_TOKEN_FILE',
    preset: '',
    description: 'file of the bearer token for `PARCELA_ANTIFRAUD_URL`',
  },
  {
    name: 'PARCELA_ANTIFRAUD_CA_FILE',
    preset: '',
    description: 'PEM file of the authorities that the provider is believed by, instead of the public ones',
  },
  {
    name: 'PARCELA_ANTIFRAUD_CERTIFICATE_FILE',
    preset: '',
    description: 'PEM file of the certificate that we show the provider',
  },
  {
    name: 'PARCELA_ANTIFRAUD_CERTIFICATE_KEY_FILE',
    preset: '',
    description: 'PEM file of the private key of `PARCELA_ANTIFRAUD_CERTIFICATE_FILE`',
  },
  {
    name: 'PARCELA_ANTIFRAUD_PROVIDER_TIMEOUT_MILLISECONDS',
    preset: '2000',
    description: 'how long the provider may take',
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
    name: 'PARCELA_WEBHOOK_LOOPBACK',
    preset: '1',
    description:
      'homologation: whether merchants may have this machine called; `0` for a sandbox that several share',
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
    name: 'PARCELA_CUSTOMER_RETENTION_DAYS',
    preset: '1825',
    description:
      'days for which a payment keeps the data of its customer (docs/privacy.md), `0`: without end; the payment itself stays',
  },
  {
    name: 'PARCELA_REGISTRATIONS_PER_MINUTE',
    preset: '120',
    description:
      'addresses that one merchant registers a minute and process, webhooks and alerts together; beyond: 429',
  },
  {
    name: 'PARCELA_HOLD_WORK',
    preset: '0',
    description:
      '`1`: nothing is charged, resolved, voided or sent to merchants, and requests that would are answered 503; reads work (docs/restore.md)',
  },
  {
    name: 'PARCELA_SECURITY_CONTACT',
    preset: '',
    description:
      'whom to tell of a hole, `mailto:…`, `https://…` or `tel:…`, separated by commas: served at `/.well-known/security.txt` (RFC 9116)',
  },
  {
    name: 'PARCELA_SECURITY_EXPIRES',
    preset: '',
    description: 'the last day on which `PARCELA_SECURITY_CONTACT` is good, such as `2027-06-30`',
  },
  { name: 'PARCELA_LOG_LEVEL', preset: 'info', description: '`debug`, `info`, `warn`, `error` or `silent`' },
  {
    name: 'PARCELA_LOG_FORMAT',
    preset: 'auto',
    description: '`json`, `pretty` (for people), or `auto`: `pretty` on a terminal, else `json`',
  },
];
