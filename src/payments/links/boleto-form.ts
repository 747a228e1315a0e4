import { STATES_OF_BRAZIL } from '../../values/states-of-brazil.ts';
import { NOT_ASKED } from './words.ts';

type Field = {
  /** The name in the request and its faults. */
  readonly tag: string;
  readonly label: string;
  readonly autocomplete: string;
  readonly most: number;
  readonly isDigits?: boolean;
  readonly isOptional?: boolean;
};

const NAME: Field = { tag: 'name', label: 'Nome ou razão social', autocomplete: 'name', most: 80 };
const DOCUMENT: Field = { tag: 'documentNumber', label: 'CPF ou CNPJ', autocomplete: 'off', most: 18 };
const ZIP_CODE: Field = {
  tag: 'address.zipCode',
  label: 'CEP',
  autocomplete: 'postal-code',
  most: 10,
  isDigits: true,
};
const STREET: Field = { tag: 'address.street', label: 'Rua', autocomplete: 'address-line1', most: 100 };
const NUMBER: Field = { tag: 'address.number', label: 'Número', autocomplete: 'off', most: 10 };
const COMPLEMENT: Field = {
  tag: 'address.complement',
  label: 'Complemento (se houver)',
  autocomplete: 'address-line2',
  most: 60,
  isOptional: true,
};
const DISTRICT: Field = {
  tag: 'address.district',
  label: 'Bairro',
  autocomplete: 'address-level3',
  most: 60,
};
const CITY: Field = { tag: 'address.city', label: 'Cidade', autocomplete: 'address-level2', most: 60 };

function fieldOf({ tag, label, autocomplete, most, isDigits = false, isOptional = false }: Field): string {
  const id = `payer-${tag}`;
  const traits = `${isDigits ? ' inputmode="numeric"' : ''}${isOptional ? '' : ' required'}`;
  return labeled(
    id,
    label,
    `<input id="${id}" autocomplete="${autocomplete}" maxlength="${most}"${traits} aria-describedby="${id}-fault">`,
  );
}

const labeled = (id: string, label: string, field: string) => `<label for="${id}">${label}</label>
${field}
<span class="fault" id="${id}-fault"></span>`;

const STATE_ID = 'payer-address.state';
const STATE = labeled(
  STATE_ID,
  'Estado',
  `<select id="${STATE_ID}" autocomplete="address-level1" required aria-describedby="${STATE_ID}-fault"><option value="">Escolha</option>${STATES_OF_BRAZIL.map((one) => `<option>${one}</option>`).join('')}</select>`,
);

const pair = (one: string, other: string) =>
  `<div class="pair">\n<div>\n${one}\n</div>\n<div>\n${other}\n</div>\n</div>`;

/**
 * What a bank asks of the payer. The service alone judges it; its faults are shown beside their fields. No
 * field has a name, so that no browser can send one. Hidden until the script runs.
 */
export const BOLETO_FORM = `
<details class="scripted" hidden>
<summary>Pagar com boleto</summary>
<form id="boleto" data-not-done="${NOT_ASKED}" novalidate>
<p>O banco pede os dados de quem paga. Só este navegador mostra o boleto com eles; quem tem o endereço desta página vê a linha digitável e pode retirar o boleto.</p>
${fieldOf(NAME)}
${fieldOf(DOCUMENT)}
${pair(fieldOf(ZIP_CODE), STATE)}
${fieldOf(STREET)}
${pair(fieldOf(NUMBER), fieldOf(COMPLEMENT))}
${pair(fieldOf(DISTRICT), fieldOf(CITY))}
<button id="make-boleto" type="submit">Gerar boleto</button>
</form>
</details>`;
