import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';

const text = (value: string | Buffer) => Buffer.from(value).toString('base64url');
const sha256 = (value: string | Buffer) => createHash('sha256').update(value).digest();

/** What a person, a browser or a thief may do otherwise. */
export type Odd = {
  readonly origin?: string;
  readonly party?: string;
  /** Present, but neither finger nor PIN was shown. */
  readonly isUnverified?: boolean;
  /** What the browser says of a frame. */
  readonly frame?: Readonly<Record<string, unknown>>;
};

const USER_PRESENT = 0x01;
const USER_VERIFIED = 0x04;
const HAS_CREDENTIAL = 0x40;

/** An authenticator with one passkey, and the browser between it and the page. */
export class Authenticator {
  readonly #origin: string;
  readonly #id: Buffer;
  readonly #publicKey: KeyObject;
  readonly #privateKey: KeyObject;
  #count = 0;

  /** `id`: of another passkey, which it copies; its key it cannot. */
  constructor(origin: string, id: Buffer = randomBytes(32)) {
    this.#origin = origin;
    this.#id = id;
    const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    this.#publicKey = pair.publicKey;
    this.#privateKey = pair.privateKey;
  }

  /** What the script of the page puts into the field `passkey` for a new one. */
  create(challenge: string, odd: Odd = {}): string {
    const credential = Buffer.concat([
      Buffer.alloc(16),
      Buffer.from([0, this.#id.length]),
      this.#id,
      this.#coseKey(),
    ]);
    const data = this.#data(odd, HAS_CREDENTIAL, credential);
    // { fmt: "none", attStmt: {}, authData } in CBOR.
    const attestation = Buffer.concat([
      Buffer.from([0xa3]),
      ...[word('fmt'), word('none'), word('attStmt'), Buffer.from([0xa0]), word('authData')],
      Buffer.from([0x59, data.length >> 8, data.length & 0xff]),
      data,
    ]);
    return this.#written({
      clientDataJSON: this.#client('webauthn.create', challenge, odd),
      attestationObject: text(attestation),
    });
  }

  /** The same for signing in. */
  get(challenge: string, odd: Odd = {}): string {
    this.#count += 1;
    const data = this.#data(odd, 0, Buffer.alloc(0));
    const clientDataJSON = this.#client('webauthn.get', challenge, odd);
    const signed = Buffer.concat([data, sha256(Buffer.from(clientDataJSON, 'base64url'))]);
    return this.#written({
      clientDataJSON,
      authenticatorData: text(data),
      signature: text(sign('sha256', signed, this.#privateKey)),
    });
  }

  #written(response: Readonly<Record<string, string>>): string {
    const id = text(this.#id);
    return JSON.stringify({ id, rawId: id, type: 'public-key', response, clientExtensionResults: {} });
  }

  #client(type: string, challenge: string, { origin = this.#origin, frame = {} }: Odd): string {
    return text(JSON.stringify({ type, challenge: text(challenge), origin, crossOrigin: false, ...frame }));
  }

  #data({ party = new URL(this.#origin).hostname, isUnverified = false }: Odd, flags: number, rest: Buffer) {
    const count = Buffer.alloc(4);
    count.writeUInt32BE(this.#count);
    const set = flags | USER_PRESENT | (isUnverified ? 0 : USER_VERIFIED);
    return Buffer.concat([sha256(party), Buffer.from([set]), count, rest]);
  }

  /** EC2 over P-256 for ES256. */
  #coseKey(): Buffer {
    const { x = '', y = '' } = this.#publicKey.export({ format: 'jwk' });
    const coordinate = (label: number, value: string) =>
      Buffer.concat([Buffer.from([label, 0x58, 32]), Buffer.from(value, 'base64url')]);
    return Buffer.concat([
      Buffer.from([0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01]),
      coordinate(0x21, x),
      coordinate(0x22, y),
    ]);
  }
}

function word(value: string): Buffer {
  return Buffer.concat([Buffer.from([0x60 + value.length]), Buffer.from(value)]);
}
