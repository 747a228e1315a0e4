import { OF_MERCHANT, pathOf } from '../parts/screen.ts';

export const SUBSCRIPTIONS = `${OF_MERCHANT}/subscriptions`;
export const SUBSCRIPTION = `${SUBSCRIPTIONS}/{subscriptionId}`;
export const BILLINGS = `${OF_MERCHANT}/billings`;
export const BILLING = `${BILLINGS}/{billingId}`;

export const subscriptionPath = (merchantId: string, subscriptionId: string) =>
  pathOf(SUBSCRIPTION, { merchantId, subscriptionId });

export const billingPath = (merchantId: string, billingId: string) =>
  pathOf(BILLING, { merchantId, billingId });
