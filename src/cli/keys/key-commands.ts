import { auditedKeyChanges } from '../../audit/audit-event.ts';
import { rotateKeyPair } from '../../cards/pairs/rotate-key-pair.ts';
import type { CommitKeyChange } from '../../keys/key-change.ts';
import {
  type CreatedKey,
  createKeyEncryptionKey,
  forgetKeyEncryptionKey,
  printedKey,
} from '../../keys/key-encryption/create-key-encryption-key.ts';
import { rotateKeyEncryptionKey } from '../../keys/key-encryption/rotate-key-encryption-key.ts';
import type { SealingPurpose } from '../../keys/open-keyring.ts';
import { countRowsUnderRetired, resealRows } from '../../keys/resealing/reseal-rows.ts';
import { rotateDataKey } from '../../keys/rotate-data-key.ts';
import { linesOf } from '../../platform/lines.ts';
import {
  type AuditedKeyTools,
  type Command,
  type CommandOutcome,
  type InstallationTools,
  type KeyCommandTools,
  matching,
  oneOf,
  option,
  refused,
  required,
} from '../command.ts';
import { KEY_STATUS_COMMAND, SEALED_TABLES } from './key-status.ts';

/** `all` rotates them in this order. */
const KEY_KINDS = ['key-encryption', 'card', 'key-pair', 'secret', 'fingerprint', 'audit', 'rsa'] as const;
type KeyKind = (typeof KEY_KINDS)[number];

export type RotateKindTools = KeyCommandTools & AuditedKeyTools & { readonly commitChange: CommitKeyChange };

/** How often all that is left may be locked elsewhere before the rest is left as it is. */
const MOST_IDLE_WALKS = 50;
const PAUSE_MILLISECONDS = 200;
const ROWS_PER_PROGRESS_LINE = 10_000;

function rotateKind(tools: RotateKindTools, kind: KeyKind): Promise<CommandOutcome> {
  switch (kind) {
    case 'key-encryption':
      return rotateWrapping(tools);
    case 'card':
      return rotateSealing(tools, 'card');
    case 'key-pair':
      return rotateSealing(tools, 'keyPair');
    case 'secret':
      return rotateSealing(tools, 'secret');
    case 'fingerprint':
    case 'audit':
      return rotateMarking(tools, kind);
    case 'rsa':
      return rotatePair(tools);
  }
}

async function rotateWrapping(tools: RotateKindTools): Promise<CommandOutcome> {
  const rotated = await rotateKeyEncryptionKey(tools, tools.keyStore);
  if (rotated === 'tooManyKeys') {
    return refused('the key file is full: forget keys that wrap nothing');
  }
  const { keyId, rewrapped, wasUnfinished } = rotated;
  const lines = [
    rewrapped === 0
      ? `key-encryption: every data key is wrapped by ${keyId} already; docs/keys.md says how ${tools.store.name} gets another`
      : `key-encryption: ${rewrapped} data keys are wrapped by ${keyId} now${wasUnfinished ? ', as an earlier rotation had begun' : ''}.`,
  ];
  return { lines, json: { keyId, rewrapped, wasUnfinished } };
}

/**
 * If an earlier rotation left rows under a retired key, finishes it and makes no new key. Rows that do not
 * open do not keep a new key from being made.
 */
async function rotateSealing(tools: RotateKindTools, purpose: SealingPurpose): Promise<CommandOutcome> {
  const wasUnfinished = (await countRowsUnderRetired(tools, tablesOf(purpose))) > 0;
  if (wasUnfinished) tools.report(`${purpose}: going on with an earlier rotation`);
  const earlier = wasUnfinished ? await resealAll(tools, purpose) : NOTHING_RESEALED;
  const isNewKey = !wasUnfinished || earlier.isStuck;
  if (isNewKey) await rotateDataKey(tools, purpose);
  const dataKeyId = tools.keyring.keyInUse(purpose);
  tools.report(`${purpose}: data key ${dataKeyId} is in use`);
  const { resealed: now, left, isStuck } = isNewKey ? await resealAll(tools, purpose) : earlier;
  const resealed = isNewKey ? earlier.resealed + now : now;
  if (resealed > 0) {
    const resource = `keys/${purpose}/${dataKeyId}`;
    await tools.commitChange(async (tx) =>
      tx.record({ action: 'key.reseal', resource, detail: { rows: resealed } }),
    );
  }
  if (left > 0) return refused(leftText(purpose, dataKeyId, left, isStuck));
  const lines = [
    `${purpose}: ${resealed} rows were sealed again under data key ${dataKeyId}, 0 are under old keys` +
      `${isNewKey ? '' : '; an earlier rotation is finished, run this again for a new key'}.`,
  ];
  return { lines, json: { dataKeyId, resealed, wasUnfinished } };
}

const FATES: Record<SealingPurpose, string> = {
  card: 'delete them: they can be charged no more',
  keyPair: 'delete them: nothing that was encrypted for them opens any more',
  secret: 'have their merchants register again and make two new secrets: nothing is sent with these any more',
};

function leftText(purpose: SealingPurpose, dataKeyId: number, left: number, isStuck: boolean): string {
  return isStuck
    ? `data key ${dataKeyId} is in use, but ${left} rows do not open, which the lines above name: they were altered, moved ` +
        `or their key is lost. Restore them from a backup, or ${FATES[purpose]}. Until then they stay under the old key`
    : `${left} rows stay under retired ${purpose} keys: they are held by somebody; run this again`;
}

type Resealed = {
  readonly resealed: number;
  readonly left: number;
  readonly isStuck: boolean;
};
const NOTHING_RESEALED: Resealed = { resealed: 0, left: 0, isStuck: false };

const tablesOf = (wanted: SealingPurpose) => SEALED_TABLES.filter(({ purpose }) => purpose === wanted);

async function resealAll(tools: RotateKindTools, purpose: SealingPurpose): Promise<Resealed> {
  let resealed = 0;
  let reported = 0;
  const onBatch = (rows: number) => {
    resealed += rows;
    if (resealed - reported < ROWS_PER_PROGRESS_LINE) return;
    reported = resealed;
    tools.report(`${purpose}: ${resealed} rows sealed again`);
  };
  for (let idleWalks = 0; ; ) {
    const inWalk = await resealRows(tools, tablesOf(purpose), onBatch);
    const left = await countRowsUnderRetired(tools, tablesOf(purpose));
    const isStuck = left > 0 && left <= inWalk.unopened;
    if (left === 0 || isStuck) return { resealed, left, isStuck };
    if (inWalk.resealed > 0) continue;
    idleWalks += 1;
    if (idleWalks === MOST_IDLE_WALKS) return { resealed, left, isStuck };
    await new Promise((wake) => setTimeout(wake, PAUSE_MILLISECONDS));
  }
}

async function rotateMarking(
  tools: RotateKindTools,
  purpose: 'fingerprint' | 'audit',
): Promise<CommandOutcome> {
  const retired = await rotateDataKey(tools, purpose);
  const dataKeyId = tools.keyring.keyInUse(purpose);
  const lines = [`${purpose}: data key ${dataKeyId} is in use, ${retired} only checks what it made.`];
  return { lines, json: { dataKeyId, retired } };
}

async function rotatePair(tools: RotateKindTools): Promise<CommandOutcome> {
  const rotated = await rotateKeyPair(tools);
  if (rotated === 'tooManyPairs') {
    const message =
      'too many RSA pairs wait for the end of their day: one more would keep cards on their way from opening; come ' +
      'again tomorrow';
    return refused(message);
  }
  const { keyId, retired } = rotated;
  const lines = [`rsa: pair ${keyId} is in use, ${retired} opens what is on its way for a day.`];
  return { lines, json: { keyId, retired } };
}

/** See docs/keys.md. */
export const KEY_COMMANDS: readonly Command[] = [
  {
    words: ['key', 'create'],
    summary: 'make the key-encryption key; beside one that wraps already, prepare the next',
    options: [
      option(
        '--for PLACE',
        'file, or environment: prints a value for PARCELA_KEY_VALUE_FILE, and needs no database; default: what is set',
        { check: matching(/^(file|environment)$/, 'must be file or environment') },
      ),
    ],
    opens: 'installation',
    async run(given, installation) {
      const place = given.one('for');
      // Before settings are read, because the value may be the one that they lack.
      if (place === 'environment') return printedOutcome(installation);
      const configuration = installation.configure();
      const { keyStore } = configuration;
      if (place === 'file' && keyStore.kind !== 'file') {
        return {
          option: '--for',
          message: 'PARCELA_KEY or PARCELA_KEY_STORE_URL is set: leave it out to use a key file',
        };
      }
      if (keyStore.kind === 'external') {
        return refused('the key store of PARCELA_KEY_STORE_URL makes its own keys');
      }
      if (keyStore.kind === 'environment') return printedOutcome(installation);
      const tools = await installation.openKeys(configuration);
      // The audit log is opened late: without the key made here there may be none to open.
      let opening: ReturnType<typeof tools.openAudited> | undefined;
      const openOnce = () => {
        opening ??= tools.openAudited();
        return opening;
      };
      const commitChange: CommitKeyChange = async (work) =>
        auditedKeyChanges((await openOnce()).audit, tools.operator)(work);
      const made = await createKeyEncryptionKey({ ...tools, commitChange }, keyStore.path);
      if (made.kind === 'created') {
        const failure = await auditFirstKey(commitChange, made.keyId);
        if (failure !== null) {
          const message = `made the key-encryption key ${made.keyId} in ${made.path}, but the audit log does not record it: `;
          return refused(message + failure);
        }
      }
      if (made.kind === 'preparedBefore') await openOnce();
      return createdOutcome(made);
    },
  },
  {
    words: ['key', 'rotate'],
    summary: 'put new keys to use and seal again what the old ones sealed, while the service runs',
    options: [
      required('--kind KIND', `${KEY_KINDS.join(', ')} or all`, { check: oneOf([...KEY_KINDS, 'all']) }),
    ],
    opens: 'keys',
    async run(given, tools) {
      const asked = given.one('kind') as KeyKind | 'all';
      const opened = await tools.openAudited();
      const rotation = { ...tools, ...opened, commitChange: auditedKeyChanges(opened.audit, tools.operator) };
      const lines: string[] = [];
      const done: object[] = [];
      const failures: string[] = [];
      for (const kind of asked === 'all' ? KEY_KINDS : [asked]) {
        const outcome = await rotateKind(rotation, kind);
        // A failure must not keep the other kinds from being rotated.
        if ('message' in outcome) failures.push(`${kind}: ${outcome.message}`);
        else {
          lines.push(...linesOf(outcome.lines));
          done.push({ kind, ...(outcome.json as object) });
        }
      }
      if (failures.length > 0) return refused([...lines, ...failures].join('\n'));
      return { lines, json: { rotated: done } };
    },
  },
  KEY_STATUS_COMMAND,
  {
    words: ['key', 'forget'],
    summary: 'take a key-encryption key that wraps nothing out of the key file, for ever',
    options: [required('--key-id ID', 'as key status shows it')],
    opens: 'keys',
    async run(given, tools) {
      const keyId = given.one('key-id') ?? '';
      if (tools.keyStore.kind !== 'file')
        return refused('only keys of a key file are forgotten by this command');
      const opened = await tools.openAudited();
      const commitChange = auditedKeyChanges(opened.audit, tools.operator);
      const result = await forgetKeyEncryptionKey({ ...tools, commitChange }, tools.keyStore.path, keyId);
      if (result !== 'forgotten') {
        return {
          option: '--key-id',
          message: `--key-id ${JSON.stringify(keyId)} ${FORGET_SENTENCES[result]}`,
        };
      }
      const lines = [
        `Key ${keyId} is gone from the key file. Backups of the database from its time open nowhere any more.`,
      ];
      return { lines, json: { keyId } };
    },
  },
];

/** Nothing can be audited before the first key exists. Returns why the entry was not written, or null. */
async function auditFirstKey(commitChange: CommitKeyChange, keyId: string): Promise<string | null> {
  const resource = `keys/key-encryption/${keyId}`;
  try {
    await commitChange(async (tx) => tx.record({ action: 'key.create', resource, detail: {} }));
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** Only the value goes to the standard output. */
function printedOutcome({ report }: InstallationTools): CommandOutcome {
  const { keyId, key } = printedKey();
  report('Keep a copy in another place than the database: without it no stored card opens.');
  report(
    'When it replaces a key, put that one into PARCELA_KEY_FORMER_FILE, start the service anew, and run key rotate --kind key-encryption.',
  );
  return { lines: [key], json: { keyId, key } };
}

function createdOutcome(made: CreatedKey): CommandOutcome {
  switch (made.kind) {
    case 'sealedElsewhere':
      return refused(
        `this database was sealed under ${made.keyIds.join(', ')}: put back a copy of its key file ${made.path}; a new ` +
          'one would open nothing',
      );
    case 'tooManyKeys':
      return refused(`the key file ${made.path} is full: forget keys that wrap nothing`);
    default: {
      const { keyId, path, kind } = made;
      return { lines: createdLines(made), json: { keyId, file: path, state: kind } };
    }
  }
}

function createdLines(made: {
  kind: 'created' | 'prepared' | 'preparedBefore';
  keyId: string;
  path: string;
}): string[] {
  if (made.kind === 'created') {
    return [
      `Made the key-encryption key ${made.keyId} in ${made.path}.`,
      'Keep a copy in another place than the database: without it no stored card opens.',
    ];
  }
  return [
    made.kind === 'prepared'
      ? `Prepared the key-encryption key ${made.keyId} in ${made.path}; it wraps nothing yet.`
      : `The key-encryption key ${made.keyId} was prepared before, and wraps nothing yet.`,
    'Copy the file to every machine that runs the service, then run key rotate --kind key-encryption on one of them.',
  ];
}

const FORGET_SENTENCES = {
  keyUnknown: 'is no key of the key file',
  keyCurrent: 'is the key that wraps now: rotate first',
  keyWraps: 'still wraps a data key: run key rotate --kind key-encryption first',
} as const;
