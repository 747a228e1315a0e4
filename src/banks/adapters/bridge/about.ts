/** The version that we speak, in every request. */
const PROTOCOL = 1;
export const PROTOCOL_HEADER: Readonly<Record<string, string>> = { 'parcela-protocol': String(PROTOCOL) };

/** What a bank's bridge reports of itself. */
export type BankAbout = {
  /** It reports that real people pay what it registers. */
  readonly isReal: boolean;
  readonly name: string;
  /** Three digits: those that its bar codes begin with. */
  readonly bankCode: string;
};

/** What `/about` says; or what is wrong with it, as the end of a sentence about the bridge. */
export function readBankAbout(body: unknown): BankAbout | string {
  const { protocol, name, bankCode, simulator } = Object(body) as Record<string, unknown>;
  if (protocol !== PROTOCOL) return `speaks protocol ${JSON.stringify(protocol)}, not ${PROTOCOL}`;
  if (typeof name !== 'string' || !/^[^\p{Cc}]{1,64}$/u.test(name)) return 'has no name';
  if (typeof bankCode !== 'string' || !/^\d{3}$/.test(bankCode)) return 'has no bank code of three digits';
  return { isReal: simulator === false, name, bankCode };
}
