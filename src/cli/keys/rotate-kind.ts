import { rotateKeyPair } from '../../cards/pairs/rotate-key-pair.ts';
import type { CommitKeyChange } from '../../keys/key-change.ts';
import { rotateKeyEncryptionKey } from '../../keys/key-encryption/rotate-key-encryption-key.ts';
import type { SealingPurpose } from '../../keys/open-keyring.ts';
import { countRowsUnderRetired, resealRows } from '../../keys/resealing/reseal-rows.ts';
import { rotateDataKey } from '../../keys/rotate-data-key.ts';
import type { AuditedKeyTools, CommandOutcome, KeyCommandTools } from '../command.ts';
import { SEALED_TABLES } from './key-status.ts';

/** The kinds of keys, in the order in which `all` rotates them. */
export const KEY_KINDS = [
  'key-encryption',
  'card',
  'key-pair',
  'secret',
  'fingerprint',
  'audit',
  'rsa',
] as const;
export type KeyKind = (typeof KEY_KINDS)[number];

export type RotateKindTools = KeyCommandTools & AuditedKeyTools & { readonly commitChange: CommitKeyChange };

/** Walks over rows that are locked elsewhere, until none is left or none can be sealed again. */
const MOST_IDLE_WALKS = 50;
const PAUSE_MILLISECONDS = 200;
const ROWS_PER_PROGRESS_LINE = 10_000;

/** Rotates the keys of one kind, and waits until nothing is left under the old ones. */
export function rotateKind(tools: RotateKindTools, kind: KeyKind): Promise<CommandOutcome> {
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
    return { ok: false, option: null, message: 'the key file is full: forget keys that wrap nothing' };
  }
  const { keyId, rewrapped, wasUnfinished } = rotated;
  const lines = [
    rewrapped === 0
      ? `key-encryption: every data key is wrapped by ${keyId} already; docs/keys.md says how ${tools.store.name} gets another`
      : `key-encryption: ${rewrapped} data keys are wrapped by ${keyId} now${wasUnfinished ? ', as an earlier rotation had begun' : ''}.`,
  ];
  return { ok: true, lines, json: { keyId, rewrapped, wasUnfinished } };
}

/**
 * A key under which rows are sealed again. Rows under a key that is retired already are finished
 * first, and suffice; rows that do not open prevent no new key.
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
  if (left > 0) return { ok: false, option: null, message: leftText(purpose, dataKeyId, left, isStuck) };
  const lines = [
    `${purpose}: ${resealed} rows were sealed again under data key ${dataKeyId}, 0 are under old keys` +
      `${isNewKey ? '' : '; an earlier rotation is finished, run this again for a new key'}.`,
  ];
  return { ok: true, lines, json: { dataKeyId, resealed, wasUnfinished } };
}

/** The consequence for rows that cannot be opened any more. */
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
  /** The remaining rows do not open. */
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

/** A key that only makes fingerprints or seals: those of the old one stay. */
async function rotateMarking(
  tools: RotateKindTools,
  purpose: 'fingerprint' | 'audit',
): Promise<CommandOutcome> {
  const retired = await rotateDataKey(tools, purpose);
  const dataKeyId = tools.keyring.keyInUse(purpose);
  const lines = [`${purpose}: data key ${dataKeyId} is in use, ${retired} only checks what it made.`];
  return { ok: true, lines, json: { dataKeyId, retired } };
}

async function rotatePair(tools: RotateKindTools): Promise<CommandOutcome> {
  const rotated = await rotateKeyPair(tools);
  if (rotated === 'tooManyPairs') {
    const message =
      'too many RSA pairs wait for the end of their day: one more would keep cards on their way from opening; come ' +
      'again tomorrow';
    return { ok: false, option: null, message };
  }
  const { keyId, retired } = rotated;
  const lines = [`rsa: pair ${keyId} is in use, ${retired} opens what is on its way for a day.`];
  return { ok: true, lines, json: { keyId, retired } };
}
