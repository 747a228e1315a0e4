import type { Parcela } from '#client';

export function openShop(options: {
  readonly parcela: Parcela;
  readonly accountNumber: string;
  readonly publicUrl: string;
  readonly notifyUrl: string;
  readonly secret: string | null;
  readonly keepSecret: (secret: string) => Promise<void> | void;
  readonly trial?: { readonly pixPayerUrl: string | null; readonly consolePayments: string } | null;
  readonly report: (error: unknown) => void;
}): (request: Request) => Promise<Response>;
