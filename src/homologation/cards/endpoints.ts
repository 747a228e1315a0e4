import { type Endpoint, endpoint } from '../../platform/http/endpoint.ts';
import { LIST_TRIAL_CARDS, writeTrialCards } from './contract.ts';

export const TRIAL_CARD_ENDPOINTS: readonly Endpoint<object>[] = [
  endpoint(LIST_TRIAL_CARDS, async (_tools: object, call) => ({
    status: 200,
    body: writeTrialCards(call.language),
  })),
];
