import { ACQUIRER_PLANTS } from './acquirer-plants.ts';
import { BOLETO_PLANTS } from './boleto-plants.ts';
import { CANCEL_PLANTS } from './cancel-plants.ts';
import { CAPTURE_PLANTS } from './capture-plants.ts';
import { CHARGE_PLANTS } from './charge-plants.ts';
import { CROWD_PLANTS } from './crowd-plants.ts';
import { EDGE_PLANTS } from './edge-plants.ts';
import { KEY_PLANTS } from './key-plants.ts';
import { PIX_PLANTS } from './pix-plants.ts';
import type { Plant } from './plant.ts';
import { RECURRENCE_PLANTS } from './recurrence-plants.ts';
import { WEBHOOK_PLANTS } from './webhook-plants.ts';

/** Every mistake that the suite is known to find. */
export const PLANTS: readonly Plant[] = [
  ...CHARGE_PLANTS,
  ...CANCEL_PLANTS,
  ...CAPTURE_PLANTS,
  ...KEY_PLANTS,
  ...WEBHOOK_PLANTS,
  ...RECURRENCE_PLANTS,
  ...BOLETO_PLANTS,
  ...PIX_PLANTS,
  ...ACQUIRER_PLANTS,
  ...EDGE_PLANTS,
  ...CROWD_PLANTS,
];
