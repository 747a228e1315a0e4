import { CONSOLE_SETTINGS } from './console-settings.ts';
import type { Settings } from './setting-reader.ts';

/** The files of the channel to `${prefix}_URL`. */
function channelRows(prefix: string, whom: string, token = 'the bearer token'): Settings {
  const certificate = `${prefix}_CERTIFICATE_FILE`;
  return {
    [`${prefix}_TOKEN_FILE`]: `file of ${token} for \`${prefix}_URL\``,
    [`${prefix}_CA_FILE`]: `PEM file of the authorities that ${whom} is believed by, instead of the public ones`,
    [certificate]: `PEM file of the certificate that we show ${whom}`,
    [`${prefix}_CERTIFICATE_KEY_FILE`]: `PEM file of the private key of \`${certificate}\``,
  };
}

const ROWS: Settings = {
  PARCELA_ENVIRONMENT: ['homologation', '`homologation` (simulator, demo merchant) or `production`'],
  PARCELA_ROLES: [
    'http,charging,webhooks,resolving,reconciliation',
    'what this process is there for (docs/operating.md#roles); without `http` it listens for health and metrics alone',
  ],
  PARCELA_CELL:
    'which cell this database and its processes are, such as `a1` (docs/cells.md): begins tokens, user names and addresses of boletos that are made here; by default there are no cells',
  PARCELA_HOST: ['127.0.0.1', 'address that both APIs listen on'],
  PARCELA_PORT: ['8080', 'port that both APIs listen on'],
  PARCELA_GATEWAY_HOST: 'address of the Gateway API, if it differs',
  PARCELA_GATEWAY_PORT: 'port of the Gateway API, if it differs',
  PARCELA_GATEWAY_PREFIX: 'path before the Gateway API, such as `/gateway`',
  PARCELA_INTEGRATION_HOST: 'address of the Other APIs, if it differs',
  PARCELA_INTEGRATION_PORT: 'port of the Other APIs, if it differs',
  PARCELA_INTEGRATION_PREFIX: 'path before the Other APIs',
  PARCELA_PAGES_ORIGIN:
    "public origin of the pages for payers, such as `https://pay.example.com`: where addresses of boletos, Pix, payment links and subscribers' pages lead, and the script of card fields; by default that of the request, and in production the console then shows none and no card field is served. A page of this origin may not hold card fields",
  PARCELA_METRICS_HOST: ['127.0.0.1', 'address of `/metrics`'],
  PARCELA_METRICS_PORT: 'port of `/metrics`; by default `PARCELA_PORT` + 1000',
  PARCELA_METRICS_TOKEN_FILE:
    'file of the bearer token that `/metrics` asks for; needed unless `PARCELA_METRICS_HOST` is on loopback (docs/monitoring.md)',
  ...CONSOLE_SETTINGS,
  PARCELA_DATA_DIR: ['.parcela', 'folder of the embedded database, keys and demo data'],
  PARCELA_SETTINGS_FOLDER: [
    '/etc/parcela',
    "folder of the units' settings and secrets, which commands run by hand find there (docs/installing.md)",
  ],
  DATABASE_URL:
    'a PostgreSQL from 15 on, `postgres://…`; several hosts, `…@one:5432,two:5432/…`, mean the one that takes writes (docs/failover.md); without it the embedded one is used (homologation only)',
  DATABASE_URL_FILE: 'file, or descriptor such as `/dev/fd/3`, with the value of `DATABASE_URL`',
  PARCELA_OWNER_DATABASE_URL:
    'the same database as the owner of its tables, who migrates; `DATABASE_URL` can then not alter the audit log (docs/audit.md)',
  PARCELA_OWNER_DATABASE_URL_FILE: 'file or descriptor with the value of `PARCELA_OWNER_DATABASE_URL`',
  PARCELA_DATABASE_CONNECTIONS: [
    '12',
    'connections of this process to the database for payments and all work (docs/operating.md#connections-to-the-database)',
  ],
  PARCELA_SEARCH_CONNECTIONS: ['4', 'further connections, for lists, searches and histories'],
  PARCELA_KEY_FILE:
    'file of the key-encryption keys, mode 600 (docs/keys.md); by default `keys/key-encryption-key.json` in the data folder',
  PARCELA_KEY:
    'instead of a key file: the key-encryption key itself, 32 bytes in base64; not in production, see `PARCELA_KEY_VALUE_FILE`',
  PARCELA_KEY_VALUE_FILE:
    'file or descriptor with the value of `PARCELA_KEY` (`PARCELA_KEY_FILE` names a key file, which holds several)',
  PARCELA_KEY_FORMER:
    'earlier values of `PARCELA_KEY`, separated by commas, that still open what they wrapped',
  PARCELA_KEY_FORMER_FILE: 'file or descriptor with the value of `PARCELA_KEY_FORMER`',
  PARCELA_DATABASE_WAIT_SECONDS: ['60', 'how long a start waits for a database that is on its way up'],
  PARCELA_KEY_STORE_URL:
    'instead of a key file: a key store for a KMS or an HSM (docs/key-store-protocol.md), `https://…` or on loopback',
  ...channelRows('PARCELA_KEY_STORE', 'the key store'),
  PARCELA_ACQUIRER_URL:
    'bridge to the acquirer (docs/acquirer-protocol.md); without it the simulator (homologation only)',
  ...channelRows('PARCELA_ACQUIRER', 'the bridge'),
  PARCELA_ACQUIRER:
    '`rede` or `cielo`, homologation only: starts this simulated acquirer too, and the demo merchant sells by it (docs/en/acquirers.md)',
  PARCELA_BANK_URL:
    'the bank that registers boletos (docs/bank-protocol.md), `https://…` or on loopback; without it its simulator where that of the acquirer runs too, else there are no boletos',
  ...channelRows('PARCELA_BANK', 'the bank'),
  PARCELA_BANK_TIMEOUT_MILLISECONDS: 'how long the bank may take; by default as long as the acquirer',
  PARCELA_BANK_CHANGES_SECONDS:
    'between two questions to the bank about payments of boletos; by default 60, 1 in homologation',
  PARCELA_PIX_URL:
    "the bank of Pix, the central bank's API for receivers (docs/pix.md), `https://…` or on loopback; without it its simulator where that of the acquirer runs too, else there is no Pix",
  ...channelRows('PARCELA_PIX', 'the bank of Pix', 'the credentials, `client id:client secret`,'),
  PARCELA_PIX_SETTINGS:
    '`name=value` separated by semicolons: `key` (your Pix key), `tokenUrl`, `scope`, `pageSize`, `overlapSeconds` and others (docs/pix.md#for-operators)',
  PARCELA_PIX_TIMEOUT_MILLISECONDS: 'how long the bank of Pix may take; by default as long as the acquirer',
  PARCELA_PIX_CHANGES_SECONDS:
    'between two questions to the bank of Pix about what arrived; by default 30, 1 in homologation',
  PARCELA_PIX_WEBHOOK_PORT:
    'port on which banks of Pix tell that something changed, over TLS on both sides (docs/pix.md#the-banks-webhook); without it their sweep alone finds it',
  PARCELA_PIX_WEBHOOK_HOST: 'address of that port; by default `PARCELA_HOST`',
  PARCELA_PIX_WEBHOOK_CA_FILE:
    "PEM file of the authorities of the banks' certificates: nobody else is let in",
  PARCELA_PIX_WEBHOOK_CERTIFICATE_FILE: 'PEM file of the certificate that banks are shown there',
  PARCELA_PIX_WEBHOOK_CERTIFICATE_KEY_FILE:
    'PEM file of the private key of `PARCELA_PIX_WEBHOOK_CERTIFICATE_FILE`',
  PARCELA_PIX_WEBHOOK_CERTIFICATE_HEADER:
    "instead of a certificate: header in which a proxy of `PARCELA_TRUSTED_PROXIES` passes the bank's certificate as PEM, such as `x-client-certificate`",
  PARCELA_UNGUARDED_CHANNELS:
    'some of `acquirer`, `bank`, `pix`, `antifraud`, `keyStore`, `otlp` (need neither certificate nor token) and `database` (needs no `sslmode=verify-full`) on other machines in production, because something else guards them (docs/operating.md#channels)',
  PARCELA_ACQUIRER_TIMEOUT_MILLISECONDS: ['8000', 'how long the acquirer may take'],
  PARCELA_BILLING_ACQUIRER_TIMEOUT_MILLISECONDS: [
    '30000',
    'how long the acquirer may take for a recurring charge, for which no caller waits',
  ],
  PARCELA_BILLING_SEARCH_MILLISECONDS: [
    '60000',
    'how long the acquirer is asked for a recurring charge that it did not answer and does not know, before that is voided and sent again',
  ],
  PARCELA_ACQUIRER_CHANGES_SECONDS:
    'between two questions to the acquirer about payments, blocks and chargebacks; by default 60, 1 in homologation',
  PARCELA_REQUEST_DEADLINE_MILLISECONDS: ['15000', 'how long a request may take in all'],
  PARCELA_DRAIN_SECONDS:
    'how long a process that is to stop says 503 at `/health/ready` and goes on serving, before it closes (docs/proxy/README.md); by default 5, 0 in homologation',
  PARCELA_SIMULATOR_LATE_MILLISECONDS:
    'how late the simulator answers amounts that end in 1003; by default 2000 after the timeout',
  PARCELA_MINIMUM_INSTALLMENT_CENTS: ['1', 'smallest installment of a payment'],
  PARCELA_FEES:
    'what you keep of a sale, as `visa:1=2.49, any:2-12=3.1@30, pix=0.99`: brand, installments, percent, days to the payout (docs/reconciliation.md#the-forecast-operators); a split of type `liquido` is of the rest',
  PARCELA_SETTLEMENT_FOLDER:
    'folder whose files of the acquirer are taken by themselves and moved to `taken/` or `refused/` in it (docs/settlement.md)',
  PARCELA_NETWORK_LIMITS: [
    'enforce',
    'another try of a declined card that its network would fine: `enforce` (refused), `observe` (sent and counted) or `off`',
  ],
  PARCELA_CAPTURE_DAYS: ['7', 'days in which an authorized payment (`captureType` `pa`) can be captured'],
  PARCELA_CANCEL_WINDOW_DAYS: ['180', 'days after the sale in which a payment can be canceled'],
  PARCELA_CHARGE_WINDOW:
    'part of each day (São Paulo) over which its recurring charges are spread, such as `06:00-20:00`; without it they begin with the day',
  PARCELA_CHARGES_AT_ONCE: [
    '64',
    'recurring charges that this process has with the acquirer at the same time; `0`: none, other processes charge, and block what was charged back',
  ],
  PARCELA_TRUSTED_PROXIES:
    'addresses or networks, separated by commas, whose X-Forwarded-For is believed; `none`: there is no proxy, which production on loopback must be told (docs/operating.md#production)',
  PARCELA_DOCS: ['1', '`0`: `/docs` and `/openapi.json` are unknown paths'],
  PARCELA_CONNECTIONS: [
    '8000',
    "connections of a process; when all are taken a stranger's makes room, else sixteen more for health (docs/operating.md#limits)",
  ],
  PARCELA_CONNECTIONS_PER_ADDRESS: [
    '1000',
    'connections from one address (IPv6: one network of 64 bits) that is no trusted proxy',
  ],
  PARCELA_REQUESTS_AT_ONCE: [
    '2000',
    'places: requests that a process works at; beyond: 503 (docs/operating.md#limits)',
  ],
  PARCELA_REQUESTS_PER_SECOND_PER_CREDENTIAL: [
    '1000',
    'requests per second and process of one credential; beyond: 429',
  ],
  PARCELA_REQUESTS_PER_SECOND_PER_MERCHANT: [
    '2000',
    'requests per second and process of one merchant; beyond: 429. A hundredth may be cards that buyers type into card fields',
  ],
  PARCELA_REQUESTS_PER_SECOND_PER_ADDRESS: [
    '500',
    'requests per second and process of one address that show no good token or need none, health left out; beyond: 429',
  ],
  PARCELA_LOGIN_FAILURES_PER_USER_NAME: [
    '50',
    'failed logins of one user name from addresses not on its list, until all of them wait',
  ],
  PARCELA_LOGIN_FAILURES_PER_ADDRESS: [
    '100',
    'failed logins from one address over all user names, until it waits',
  ],
  PARCELA_PASSWORD_MAX_AGE_DAYS: [
    '0',
    'a password that is so many days old is refused like a wrong one, until the operator rotates it; `0`: never',
  ],
  PARCELA_CREDENTIAL_UNUSED_DAYS: [
    '0',
    'a credential without a login for so many days is refused like a wrong password, until the operator rotates it; `0`: never',
  ],
  PARCELA_STORED_COPIES: [
    '20',
    'how often a merchant may store one card, in homologation too: what would fail in production must fail there',
  ],
  PARCELA_EXPIRED_CARD_RETENTION_DAYS: [
    '0',
    'days after its expiry for which a stored card is kept that no active or blocked subscription uses; `0`: without end',
  ],
  PARCELA_ANTIFRAUD_RULES:
    'rules of velocity (docs/antifraud.md), or `none`; by default those of that page in production, none in homologation',
  PARCELA_CARD_TESTING: [
    'stop',
    'new cards of a merchant where nearly all are declined: `stop` (refused for a while), `observe` (alarm only) or `off`; needs rules of velocity',
  ],
  PARCELA_ANTIFRAUD_TIMEOUT_MILLISECONDS: ['1000', 'how long the rules of velocity may take'],
  PARCELA_ANTIFRAUD_WHEN_SILENT: [
    'review',
    'the verdict when no decision comes in time: `accept`, `review` or `reject`',
  ],
  PARCELA_ANTIFRAUD_URL:
    'a provider that is asked after the rules of velocity (docs/antifraud-protocol.md), `https://…` or on loopback',
  ...channelRows('PARCELA_ANTIFRAUD', 'the provider'),
  PARCELA_ANTIFRAUD_PROVIDER_TIMEOUT_MILLISECONDS: ['2000', 'how long the provider may take'],
  PARCELA_CLOCK_ANSWER_MILLISECONDS: [
    '60000',
    'homologation: how long a caller waits for a jump of the test clock until the answer is 202 (docs/test-clock.md)',
  ],
  PARCELA_WEBHOOK_NETWORKS:
    'addresses or networks that are not public and may be called all the same, such as `10.1.0.0/16` (docs/webhooks.md)',
  PARCELA_WEBHOOK_LOOPBACK: [
    '1',
    'homologation: whether merchants may have this machine called; `0` for a sandbox that several share',
  ],
  PARCELA_WEBHOOK_RETENTION_DAYS: [
    '30',
    'days for which a delivery to a webhook is kept after it was delivered or given up',
  ],
  PARCELA_WEBHOOK_TESTS_PER_MINUTE: [
    '10',
    'test notifications a minute and process of one merchant; beyond: 429',
  ],
  PARCELA_CUSTOMER_RETENTION_DAYS: [
    '1825',
    'days for which a payment, and a subscription that ended, keeps the data of its customer (docs/privacy.md), `0`: without end',
  ],
  PARCELA_REGISTRATIONS_PER_MINUTE: [
    '120',
    'addresses that one merchant registers a minute and process, webhooks and alerts together; beyond: 429',
  ],
  PARCELA_HOLD_WORK: [
    '0',
    '`1`: nothing is charged, resolved, voided or sent to merchants, and requests that would are answered 503; reads work (docs/restore.md)',
  ],
  PARCELA_SECURITY_CONTACT:
    'where to report a hole, `mailto:…`, `https://…` or `tel:…`, separated by commas: served at `/.well-known/security.txt` (RFC 9116)',
  PARCELA_SECURITY_EXPIRES: 'the last day on which `PARCELA_SECURITY_CONTACT` is good, such as `2027-06-30`',
  PARCELA_LOG_LEVEL: ['info', '`debug`, `info`, `warn`, `error` or `silent`'],
  PARCELA_LOG_FORMAT: [
    'auto',
    '`json`, `ecs` (JSON by the Elastic Common Schema), `pretty` (for people), or `auto`: `pretty` on a terminal, else `json`',
  ],
  PARCELA_REQUEST_ID_HEADER:
    'header such as `x-request-id` in which trusted proxies bring their own id of a request, for the log (docs/observability.md)',
  PARCELA_OTLP_URL:
    'collector that gets traces by OTLP/HTTP (docs/observability.md), `https://…` or on loopback; `/v1/traces` is added; without it nothing is traced',
  ...channelRows('PARCELA_OTLP', 'the collector'),
  PARCELA_TRACE_RATIO: ['0.1', 'part of the traces that is recorded, from `0` to `1`'],
  PARCELA_TRACE_TARGETS: [
    'acquirer,bank,antifraud',
    'which others get the header `traceparent`: some of `acquirer`, `bank`, `pix`, `antifraud` and `merchants` (with webhooks), or `none`',
  ],
};

/** docs/configuration.md shows these. An empty preset means "not set". */
export const SETTINGS = Object.entries(ROWS).map(([name, row]) => {
  const [preset, description] = typeof row === 'string' ? ['', row] : row;
  return { name, preset, description };
});
