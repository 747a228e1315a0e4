import { listKeyPairs } from '../../cards/pairs/key-pairs.sql.ts';
import { SEALED_CARD_TABLES } from '../../cards/sealed-rows.sql.ts';
import { listDataKeys } from '../../keys/data-keys.sql.ts';
import { dueAt } from '../../keys/key-change.ts';
import { countSealedRows, type SealedTable } from '../../keys/resealing/sealed-rows.sql.ts';
import { isFormerKey, type KeyFile } from '../../keys/stores/key-file.ts';
import { readKeyFile } from '../../keys/stores/read-key-file.ts';
import { SEALED_PROVIDERS } from '../../providers/providers.sql.ts';
import { type Instant, instant, utcText } from '../../values/instant.ts';
import { SEALED_SECRETS } from '../../webhooks/secrets/secrets.sql.ts';

import { type Command, type CommandOutcome, type KeyCommandTools, table } from '../command.ts';

export const SEALED_TABLES: readonly SealedTable[] = [
  ...SEALED_CARD_TABLES,
  ...SEALED_SECRETS,
  SEALED_PROVIDERS,
];

export const KEY_STATUS_COMMAND: Command = {
  words: ['key', 'status'],
  summary: 'show every key: its purpose, its age, what wraps it and how many rows it sealed',
  opens: 'keys',
  run: (_given, tools) => keyStatus(tools),
};

type Purpose = Parameters<typeof dueAt>[0]['purpose'];

type KeyState = {
  readonly keyId: string;
  readonly purpose: string;
  readonly state: string;
  /** UTC. Null if unknown. */
  readonly createdAt: string | null;
  readonly retiredAt: string | null;
  readonly wrappedBy: string | null;
  readonly rows: number | null;
  readonly isOverdue: boolean;
};

async function keyStatus(tools: KeyCommandTools): Promise<CommandOutcome> {
  const states = [
    ...(await keyEncryptionKeys(tools)),
    ...(await dataKeys(tools)),
    ...(await keyPairs(tools)),
  ];
  const rows = states.map((key) => [
    key.keyId,
    key.purpose,
    key.state,
    key.createdAt ?? 'unknown',
    key.retiredAt ?? '-',
    key.wrappedBy ?? '-',
    key.rows === null ? '-' : String(key.rows),
  ]);
  const names = ['key id', 'purpose', 'state', 'created', 'retired', 'wrapped by', 'rows'];
  const warnings = states
    .filter((key) => key.isOverdue)
    .map(
      (key) =>
        `Warning: the ${key.purpose} key ${key.keyId} is older than a year: run key rotate (docs/keys.md).`,
    );
  return { lines: [...table(names, rows), ...warnings], json: { items: states } };
}

/** Keys of the file with their ages; for another store, the keys that wrap something here. */
async function keyEncryptionKeys({ database, environment, keyStore }: KeyCommandTools): Promise<KeyState[]> {
  const wrapped = Map.groupBy(await listDataKeys(database), (key) => key.keyEncryptionKeyId);
  const known = keyStore.kind === 'file' ? await readKeyFile(keyStore.path, environment, true) : null;
  const ids = new Set([...(known?.keys.map(({ keyId }) => keyId) ?? []), ...wrapped.keys()]);
  return [...ids].map((keyId) => {
    const createdAt = known?.keys.find((key) => key.keyId === keyId)?.createdAt ?? null;
    const state = known === null ? 'wraps' : stateInFile(known, keyId);
    return {
      keyId,
      purpose: 'key-encryption',
      state,
      createdAt,
      retiredAt: null,
      wrappedBy: null,
      rows: wrapped.get(keyId)?.length ?? 0,
      isOverdue:
        state === 'in use' &&
        createdAt !== null &&
        isOverdue('key-encryption', instant(Date.parse(createdAt))),
    };
  });
}

function stateInFile(file: KeyFile, keyId: string): string {
  if (file.currentKeyId === keyId) return 'in use';
  if (isFormerKey(file, keyId)) return 'former';
  return file.keys.some((key) => key.keyId === keyId) ? 'prepared' : 'missing';
}

async function dataKeys({ database }: KeyCommandTools): Promise<KeyState[]> {
  const keys = await listDataKeys(database);
  const counts = await countSealedRows(
    database,
    SEALED_TABLES,
    keys.map((key) => key.dataKeyId),
  );
  return keys.map(({ dataKeyId, purpose, createdAt, retiredAt, keyEncryptionKeyId }) => ({
    keyId: String(dataKeyId),
    purpose,
    ...times(purpose, createdAt, retiredAt),
    wrappedBy: keyEncryptionKeyId,
    rows: SEALED_TABLES.some((sealed) => sealed.purpose === purpose) ? (counts.get(dataKeyId) ?? 0) : null,
  }));
}

async function keyPairs({ database }: KeyCommandTools): Promise<KeyState[]> {
  return (await listKeyPairs(database)).map(({ keyId, privateKey, createdAt, retiredAt }) => ({
    keyId,
    purpose: 'rsa',
    ...times('rsa', createdAt, retiredAt),
    wrappedBy: `data key ${privateKey.dataKeyId}`,
    rows: null,
  }));
}

function times(purpose: Purpose, createdAt: Instant, retiredAt: Instant | null) {
  return {
    state: retiredAt === null ? 'in use' : 'retired',
    createdAt: utcText(createdAt),
    retiredAt: retiredAt === null ? null : utcText(retiredAt),
    isOverdue: retiredAt === null && isOverdue(purpose, createdAt),
  };
}

function isOverdue(purpose: Purpose, createdAt: Instant): boolean {
  const at = dueAt({ purpose, createdAt });
  return at !== null && at < Date.now();
}
