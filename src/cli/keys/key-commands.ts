import { auditedKeyChanges } from '../../audit/key-changes.ts';
import type { CommitKeyChange } from '../../keys/key-change.ts';
import {
  type CreatedKey,
  createKeyEncryptionKey,
  printedKey,
} from '../../keys/key-encryption/create-key-encryption-key.ts';
import { forgetKeyEncryptionKey } from '../../keys/key-encryption/forget-key-encryption-key.ts';
import type {
  Command,
  CommandOutcome,
  GivenOptions,
  InstallationTools,
  KeyCommandTools,
} from '../command.ts';
import { KEY_STATUS_COMMAND } from './key-status.ts';
import { KEY_KINDS, type KeyKind, rotateKind } from './rotate-kind.ts';

/** The keys: see docs/keys.md. */
export const KEY_COMMANDS: readonly Command[] = [
  {
    words: ['key', 'create'],
    summary: 'make the key-encryption key; beside one that wraps already, prepare the next',
    options: [
      {
        name: 'for',
        value: 'PLACE',
        description:
          'file, or environment: prints a value for PARCELA_KEY_VALUE_FILE, and needs no database; default: what is set',
        check: (value) => (['file', 'environment'].includes(value) ? null : 'must be file or environment'),
      },
    ],
    opens: 'installation',
    run: runCreate,
  },
  {
    words: ['key', 'rotate'],
    summary: 'put new keys to use and seal again what the old ones sealed, while the service runs',
    options: [
      {
        name: 'kind',
        value: 'KIND',
        description: `${KEY_KINDS.join(', ')} or all`,
        isRequired: true,
        check: (value) =>
          value === 'all' || KEY_KINDS.includes(value as KeyKind)
            ? null
            : `must be one of ${KEY_KINDS.join(', ')}, all`,
      },
    ],
    opens: 'keys',
    run: runRotate,
  },
  KEY_STATUS_COMMAND,
  {
    words: ['key', 'forget'],
    summary: 'take a key-encryption key that wraps nothing out of the key file, for ever',
    options: [{ name: 'key-id', value: 'ID', description: 'as key status shows it', isRequired: true }],
    opens: 'keys',
    run: runForget,
  },
];

async function runCreate(given: GivenOptions, installation: InstallationTools): Promise<CommandOutcome> {
  const place = given.one('for');
  // Before any setting is read: the value may be the one that is missing.
  if (place === 'environment') return printedOutcome(installation);
  const configuration = installation.configure();
  const { keyStore } = configuration;
  if (place === 'file' && keyStore.kind !== 'file') {
    return refusal('--for', 'PARCELA_KEY or PARCELA_KEY_STORE_URL is set: leave it out to use a key file');
  }
  if (keyStore.kind === 'external') {
    return refusal(null, 'the key store of PARCELA_KEY_STORE_URL makes its own keys');
  }
  if (keyStore.kind === 'environment') return printedOutcome(installation);
  const tools = await installation.openKeys(configuration);
  // Opened late: without the key that is made here there may be no audit log to open.
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
      return refusal(null, message + failure);
    }
  }
  // Opening reports the migrations that this command had to apply.
  if (made.kind === 'preparedBefore') await openOnce();
  return createdOutcome(made);
}

/**
 * The first key is there before anything can be audited. Returns why it could not be audited, or
 * null.
 */
async function auditFirstKey(commitChange: CommitKeyChange, keyId: string): Promise<string | null> {
  const resource = `keys/key-encryption/${keyId}`;
  try {
    await commitChange(async (tx) => tx.record({ action: 'key.create', resource, detail: {} }));
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** The value alone is the result: what is said of it stands beside it. */
function printedOutcome({ report }: InstallationTools): CommandOutcome {
  const { keyId, key } = printedKey();
  report('Keep a copy in another place than the database: without it no stored card opens.');
  report(
    'When it replaces a key, put that one into PARCELA_KEY_FORMER_FILE, start the service anew, and run key rotate --kind key-encryption.',
  );
  return { ok: true, lines: [key], json: { keyId, key } };
}

function createdOutcome(made: CreatedKey): CommandOutcome {
  switch (made.kind) {
    case 'sealedElsewhere':
      return refusal(
        null,
        `this database was sealed under ${made.keyIds.join(', ')}: put back a copy of its key file ${made.path}; a new ` +
          'one would open nothing',
      );
    case 'tooManyKeys':
      return refusal(null, `the key file ${made.path} is full: forget keys that wrap nothing`);
    default: {
      const { keyId, path, kind } = made;
      return { ok: true, lines: createdLines(made), json: { keyId, file: path, state: kind } };
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

async function runRotate(given: GivenOptions, tools: KeyCommandTools): Promise<CommandOutcome> {
  const asked = given.one('kind') as KeyKind | 'all';
  const opened = await tools.openAudited();
  const rotation = { ...tools, ...opened, commitChange: auditedKeyChanges(opened.audit, tools.operator) };
  const lines: string[] = [];
  const done: object[] = [];
  const failures: string[] = [];
  for (const kind of asked === 'all' ? KEY_KINDS : [asked]) {
    const outcome = await rotateKind(rotation, kind);
    // A kind that fails keeps none of the others from being rotated.
    if (!outcome.ok) failures.push(`${kind}: ${outcome.message}`);
    else {
      lines.push(...outcome.lines);
      done.push({ kind, ...(outcome.json as object) });
    }
  }
  if (failures.length > 0) return refusal(null, [...lines, ...failures].join('\n'));
  return { ok: true, lines, json: { rotated: done } };
}

const FORGET_SENTENCES = {
  keyUnknown: 'is no key of the key file',
  keyCurrent: 'is the key that wraps now: rotate first',
  keyWraps: 'still wraps a data key: run key rotate --kind key-encryption first',
} as const;

async function runForget(given: GivenOptions, tools: KeyCommandTools): Promise<CommandOutcome> {
  const keyId = given.one('key-id') ?? '';
  if (tools.keyStore.kind !== 'file')
    return refusal(null, 'only keys of a key file are forgotten by this command');
  const opened = await tools.openAudited();
  const commitChange = auditedKeyChanges(opened.audit, tools.operator);
  const result = await forgetKeyEncryptionKey({ ...tools, commitChange }, tools.keyStore.path, keyId);
  if (result !== 'forgotten') {
    return refusal('--key-id', `--key-id ${JSON.stringify(keyId)} ${FORGET_SENTENCES[result]}`);
  }
  const lines = [
    `Key ${keyId} is gone from the key file. Backups of the database from its time open nowhere any more.`,
  ];
  return { ok: true, lines, json: { keyId } };
}

function refusal(option: string | null, message: string): CommandOutcome {
  return { ok: false, option, message };
}
