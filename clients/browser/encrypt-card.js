// Encrypts a card in the buyer's browser, so that no server of yours sees its number. It needs no package; browsers have
// Web Crypto on pages of https and of localhost.

/**
 * `publicKey`: the answer of `GET /v1/cards/public-key`, which your server asks for and passes on as it came. `card`:
 * texts `cardNumber` and `securityCode` of digits, `cardholderName`, `expirationMonth` as `08`, `expirationYear` as `30`.
 * Gives `encryptedCard`: it pays or is stored once, within 24 hours of the key's `createdAt`.
 */
export async function encryptCard({ key, merchantId, createdAt }, card) {
  const bytes = Uint8Array.from(atob(key), (character) => character.charCodeAt(0));
  const algorithm = { name: 'RSA-OAEP', hash: 'SHA-256' };
  const imported = await crypto.subtle.importKey('spki', bytes, algorithm, false, ['encrypt']);
  const text = JSON.stringify({ ...card, merchantId, createdAt });
  const sealed = await crypto.subtle.encrypt(algorithm, imported, new TextEncoder().encode(text));
  return btoa(String.fromCharCode(...new Uint8Array(sealed)));
}
