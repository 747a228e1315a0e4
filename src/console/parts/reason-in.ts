import type { Wording } from './wording.ts';

const PARTIES = [
  'the acquirer',
  'the bank',
  'the provider',
  'this bank of Pix',
  'this provider',
  'this acquirer',
  'this bank',
] as const;

/** Things that reasons call wrong or missing. They are translated; the name of a protocol's field is not. */
const THINGS = [
  'amount',
  'amount that can be',
  'authorization',
  'cancellation',
  'capture',
  'changes',
  'charge',
  'event that is known',
  'id of an authorization',
  'list',
  'list of Pix',
  'merchantId that was asked for',
  'number',
  'QR code',
  'reference',
  'refund',
  'status',
  'status that is known',
  'type that is known',
  'none',
  'without a code',
] as const;

/**
 * Why a peer gave no clear answer, as adapters word it for log and doctor. The first match counts. `who` is a
 * party or a name, `what` a thing or a field, `code` what the peer answered, `why` another reason of this
 * list.
 */
const REASONS = [
  'no program listens there',
  'it broke the connection',
  'it does not speak TLS',
  'nothing answers',
  'no answer came in time',
  'there is no way to its network',
  'there is no way to it',
  'there is no such name',
  'no name server answers',
  'its certificate has expired',
  'its certificate is of another name',
  'its certificate is of an unknown authority',
  'its certificate is signed by itself',
  'no connection in time',
  'no connection ({why})',
  'no connection was free',
  'the acquirer said no, and may book an earlier request yet: {why}',
  'the acquirer has not given it back',
  'it could not be marked as sent: {why}',
  'it tells nothing of what was sent before: {why}',
  'the no could not be kept: {why}',
  'that it is not shown could not be kept: {why}',
  'the connection failed ({why})',
  'no answer in time',
  'too little time was left',
  'the answer was not JSON',
  'the answer was too long',
  'the answer was no object',
  'the answer was no payment',
  'the list was no list of payments',
  'a refund has no amount',
  '{who} has {code} payments of it',
  'the answer was neither a yes nor a no',
  'the answer was not for a pre-authorization',
  'the answer was for a pre-authorization',
  'the answer was for another {what}',
  'the answer had no {what}',
  'the answer has no {what}',
  'the answer does not say how many pages there are',
  'the approval was incomplete',
  'the decline had no code',
  'the score was no whole number from 0 to {most}',
  'the reasons were not of the protocol',
  'the status of the {what} is none we know',
  'the page did not move on',
  'the page had no end',
  'the page has no {what}',
  'the page was no list of charges',
  'the page was no list of changes',
  'the list of a merchant has a charge of another',
  'a charge of the list has no {what} that can be',
  'it has no {what}',
  'no {what} that can be',
  'not sent: {why}',
  'request refused: {why}',
  'all work is held ({why})',
  'no access token came in time',
  'no access token: {why}',
  'the provider refuses our token ({code})',
  'too many calls to the provider are under way',
  'too many',
  '{who} is not open here',
  '{who} answered {code} at /about',
  '{who} answered {code} for a token',
  '{who} answered {code}, and a success',
  '{who} answered {code}: it takes no such MerchantId with this key',
  '{who} answered for another {what}',
  '{who} answered {code} about what it does not find',
  '{who} answered {code}',
  '{who} answered {code} ({why})',
  '{who} aborted it ({code})',
  '{who} refused the request by {code}',
  '{who} refused the void by {code}',
  '{who} refused it by {code}, and shows the amount as not given back',
  '{who} refuses what an earlier request may still make there',
  '{who} refuses it: {why}',
  'it is paid, and its Pix has not come',
  '{who} does not make the charge, and its authorization holds: {why}',
  '{who} does not make the charge, and its authorization holds',
  '{who} has taken the charge away, and its authorization holds',
  '{who} has nothing under this name',
  '{who} has not decided it (status {code})',
  '{who} has not decided it yet',
  '{who} has captured another amount of it',
  '{who} named no payment',
  '{who} names no amount of it',
  '{who} verifies no {what}',
  '{who} does not know the charge',
  '{who} does not know it',
  '{who} does not show the charge to keep',
  '{who} does not show the charge',
  '{who} does not show the try',
  '{who} does not say that it is no simulator',
  '{who} does not take its own access token',
  '{who} does not take the charge away',
  '{who} does not take the first charge away',
  '{who} takes no such PV with this key for its token',
  '{who} takes no token of this PV',
  '{who} accepted it, and does not show it',
  '{who} did not acknowledge the void',
  '{who} has cancels of it, and voids it no more',
  '{who} may still book it',
  'nothing of it is live, and {who} may still book it',
  '{who} has another charge under this reference',
  '{who} has captured it, which is not on record here',
  '{who} does not know a charge that it has made',
  '{who} accepted the void, and has not done it yet',
  '{who} accepted the void of a hold, and has not done it yet',
  '{who} is to be asked',
  '{who} reports no changes',
  '{who} shows less than it gave back',
  '{who} has this txid with another amount',
  '{who} has the authorization with another {what}',
  '{who} has too many authorizations of these days',
  '{who} has taken the charge away',
  '{who} has not said yet which one it is',
  '{who} says that the charge is there, and does not find it',
  '{who} speaks protocol {code}',
  '{who} has no name',
  '{who} has no bank code of three digits',
  '{who} books a reference once',
  'a bridge books a reference once',
  'what the acquirer gave back fits no cancel on record',
  'Pix Automático is not switched on for this bank',
  'another bank was asked to register it',
  'it is of bank {code}, and provider {name} is not known here',
  'it is of bank {code}, and provider {name} is of bank {other}',
  'another process may have it',
  'it was booked more than once, and all but {code} are to be voided',
  'it was booked more than once, and the one to keep has no identifier',
  'the look-up took too long',
  'another void of the payment was sent a moment ago',
  'its provider answers nothing at the moment',
  'its provider answers no void at the moment',
  'the process that asked did not finish',
  'the charging process did not finish',
  'the payer is not there any more',
  'it was not captured in time',
  'it was canceled before its capture',
  'it was authorized, and not captured: {why}',
  'it was authorized, and not captured',
  'it was captured, which was not asked for',
  'it was refused, and meanwhile something was given back',
  'its payer was erased',
  'no return file of the bank has answered the change yet',
  'no return file of the bank has answered the write-off yet',
  'no time is left to pay the first charge',
  'our number stands for another boleto at the bank',
  'the authorization has no QR code',
  'the bank has made a change that was not waited for',
  'the first charge was taken away',
  'the instruction could not be kept for the file of the bank',
  'the place of an authorization has no id',
  'the QR code is not of this charge: {why}',
  'the boleto had no bar code',
  'the bar code cannot be: {why}',
  'the bar code was of another bank',
  'the bar code was of another amount',
  'the bar code was of another due day',
] as const;

const GROUPS: Readonly<Record<string, string>> = {
  who: `${PARTIES.join('|')}|[A-Z]\\w+`,
  what: `${THINGS.join('|')}|[\\w.]+`,
  code: 'without a code|\\S+',
};

const PATTERNS = REASONS.map((text) => {
  const escaped = text.replaceAll(/[.*+?^$()[\]\\|/]/g, '\\$&');
  const grouped = escaped.replaceAll(/\{(\w+)\}/g, (_, name) => `(?<${name}>${GROUPS[name] ?? '.+'})`);
  return { text, pattern: new RegExp(`^${grouped}$`) };
});

const isSaid = (word: string): boolean => [...PARTIES, ...THINGS].some((said) => said === word);

/** A reason followed by the code of an error. The code is not translated: people search for it. */
const CODED = /^(?<words>[a-z].+): (?<code>[A-Z]\w+)$/;

/** The reason in the user's language. A reason that is not in the list stays as it is. */
export function reasonIn(reason: string, { language, say }: Pick<Wording, 'language' | 'say'>): string {
  if (language === 'en') return reason;
  for (const { text, pattern } of PATTERNS) {
    const groups = pattern.exec(reason)?.groups;
    if (groups === undefined && !pattern.test(reason)) continue;
    const words = Object.entries(groups ?? {}).map(([name, word]) => {
      if (name === 'why') return [name, reasonIn(word, { language, say })];
      return [name, isSaid(word) ? say(word) : word];
    });
    return say(text, Object.fromEntries(words));
  }
  const coded = CODED.exec(reason)?.groups;
  const words = coded?.words === undefined ? undefined : reasonIn(coded.words, { language, say });
  return words === undefined || words === coded?.words ? reason : `${words}: ${coded?.code}`;
}
