<?php

declare(strict_types=1);

namespace Parcela;

/**
 * Parcela answered, and not with what was asked for. `problems`: all faults at once, each with `tag` and
 * `description`; of a decline (402) also `buyerMessage`. `mayBeDone`: an earlier sending had no answer, and this
 * one does not say what became of it: make the same call again with the same key, or look it up. Never take it
 * for a no.
 */
final class ParcelaError extends \RuntimeException
{
    public function __construct(
        public readonly int $status,
        public readonly array $problems,
        public readonly ?string $idempotencyKey,
        public readonly bool $mayBeDone,
        public readonly ?string $requestId,
    ) {
        $told = array_map(
            fn ($one) => ($one['tag'] ?? '') === '' ? $one['description'] : "{$one['tag']}: {$one['description']}",
            $problems,
        );
        parent::__construct(implode('; ', $told) ?: "answered $status");
    }

    public function isDecline(): bool
    {
        return $this->status === 402;
    }

    public function paymentId(): ?string
    {
        foreach ($this->problems as $one) {
            if (isset($one['paymentId'])) return $one['paymentId'];
        }
        return null;
    }
}

/** No answer came in all the time that the call had; `mayBeDone` as above. */
final class NoAnswer extends \RuntimeException
{
    public function __construct(
        public readonly string $why,
        public readonly ?string $idempotencyKey,
        public readonly bool $mayBeDone,
    ) {
        parent::__construct("no answer: $why");
    }
}

/**
 * One for a program: it keeps the tokens of its logins. One file, no packages; PHP 8.1 or later.
 *
 *     $parcela = new Parcela('https://pagamentos.example', ['gateway' => ['userName' => '…', 'password' => '…']]);
 *     $paid = $parcela->call('createPayment', ['body' => […]], 'PEDIDO-2001-1');
 *     foreach ($parcela->each('listPayments', ['referenceTransaction' => 'PEDIDO-2001']) as $payment) …
 */
final class Parcela
{
    /** Printed from the contract by `npm run print`: method, path, whose login, whether it takes an Idempotency-Key. */
    private const OPERATIONS = [
        // operations
        'getCardPublicKey' => ['GET', '/v1/cards/public-key', 'gateway', false],
        'tokenizeCard' => ['POST', '/v1/cards/tokenization', 'gateway', false],
        'listVaultCards' => ['GET', '/v1/vaults/cards', 'gateway', false],
        'storeVaultCard' => ['POST', '/v1/vaults/cards', 'gateway', true],
        'getVaultCard' => ['GET', '/v1/vaults/cards/{vaultId}', 'gateway', false],
        'deleteVaultCard' => ['DELETE', '/v1/vaults/cards/{vaultId}', 'gateway', false],
        'createAntiFraudCode' => ['POST', '/v1/antifraud/sessions', 'gateway', true],
        'createPayment' => ['POST', '/v1/payments', 'gateway', true],
        'listPayments' => ['GET', '/v1/payments', 'gateway', false],
        'getPayment' => ['GET', '/v1/payments/{paymentId}', 'gateway', false],
        'capturePayment' => ['POST', '/v1/payments/{paymentId}/capture', 'gateway', true],
        'putCapture' => ['PUT', '/v1/payments/{paymentId}/capture', 'gateway', true],
        'cancelPayment' => ['POST', '/v1/payments/{paymentId}/cancel', 'gateway', true],
        'issuePix' => ['POST', '/v1/payments/pix', 'gateway', true],
        'createPaymentLink' => ['POST', '/v1/paymentlink/new', 'gateway', true],
        'getPaymentLink' => ['GET', '/v1/paymentlink/information', 'gateway', false],
        'listPaymentLinks' => ['GET', '/v1/paymentlink/list', 'gateway', false],
        'disablePaymentLink' => ['POST', '/v1/paymentlink/disable', 'gateway', false],
        'listIssuerCodes' => ['GET', '/v1/issuer-codes', 'gateway', false],
        'createPlan' => ['POST', '/v1/recurrences/plans', 'recurrence', true],
        'listPlans' => ['GET', '/v1/recurrences/plans', 'recurrence', false],
        'getPlan' => ['GET', '/v1/recurrences/plans/{planId}', 'recurrence', false],
        'updatePlan' => ['POST', '/v1/recurrences/plans/{planId}', 'recurrence', false],
        'changePlanStatus' => ['POST', '/v1/recurrences/plans/{planId}/status', 'recurrence', false],
        'getPlanCalendar' => ['GET', '/v1/recurrences/plans/{planId}/calendar', 'recurrence', false],
        'createSubscription' => ['POST', '/v1/recurrences/subscriptions', 'recurrence', true],
        'listSubscriptions' => ['GET', '/v1/recurrences/subscriptions', 'recurrence', false],
        'getSubscription' => ['GET', '/v1/recurrences/subscriptions/{subscriptionId}', 'recurrence', false],
        'changeSubscriptionStatus' => ['POST', '/v1/recurrences/subscriptions/{subscriptionId}/status', 'recurrence', false],
        'changeSubscriptionVault' => ['POST', '/v1/recurrences/subscriptions/{subscriptionId}/vault', 'recurrence', false],
        'changeSubscriptionCustomer' => ['POST', '/v1/recurrences/subscriptions/{subscriptionId}/customer', 'recurrence', false],
        'listBillings' => ['GET', '/v1/recurrences/billing', 'recurrence', false],
        'getBilling' => ['GET', '/v1/recurrences/billing/{billingId}', 'recurrence', false],
        'cancelBilling' => ['POST', '/v1/recurrences/billing/{billingId}/cancel', 'recurrence', false],
        'chargeBilling' => ['POST', '/v1/recurrences/billing/{billingId}/charge', 'recurrence', true],
        'registerNotifier' => ['POST', '/v1/recurrences/merchantnotifier', 'recurrence', true],
        'listNotifiers' => ['GET', '/v1/recurrences/merchantnotifier', 'recurrence', false],
        'changeNotifierStatus' => ['POST', '/v1/recurrences/merchantnotifier/{notifierId}/status', 'recurrence', false],
        'issueBoleto' => ['POST', '/api/billissuer/new', 'integration', true],
        'listBoletos' => ['GET', '/api/billissuer/list/by/due-date', 'integration', false],
        'getBoleto' => ['GET', '/api/billissuer/{boletoId}', 'integration', false],
        'cancelBoleto' => ['POST', '/api/billissuer/{boletoId}/cancel', 'integration', false],
        'sendTestNotification' => ['POST', '/api/webhooks/subscriptions/test', 'integration', false],
        'listWebhookDeliveries' => ['GET', '/api/webhooks/deliveries', 'integration', false],
        'getWebhookDelivery' => ['GET', '/api/webhooks/deliveries/{deliveryId}', 'integration', false],
        'resendWebhookDelivery' => ['POST', '/api/webhooks/deliveries/{deliveryId}/resend', 'integration', false],
        'resendWebhookDeliveries' => ['POST', '/api/webhooks/resend', 'integration', false],
        'registerWebhook' => ['POST', '/api/webhooks/subscriptions', 'integration', false],
        'getWebhook' => ['GET', '/api/webhooks/subscriptions', 'integration', false],
        'deleteWebhook' => ['DELETE', '/api/webhooks/subscriptions', 'integration', false],
        'setWebhookAuth' => ['POST', '/v1/security/webhook-auth', 'gateway', false],
        'createWebhookSecret' => ['POST', '/api/webhooks/secret', 'integration', false],
        'listMovements' => ['GET', '/api/movements', 'integration', false],
        'searchReceivablesByCode' => ['POST', '/api/transaction/concil/search-by-code', 'integration', false],
        'exportReceivablesBySale' => ['GET', '/api/transaction/concil/export-by-operation-date', 'integration', false],
        'exportReceivablesByPayment' => ['GET', '/api/transaction/concil/export-by-payment-date', 'integration', false],
        'listReconciliationDays' => ['GET', '/api/reconciliation/days', 'integration', false],
        'listReconciliationExceptions' => ['GET', '/api/reconciliation/exceptions', 'integration', false],
        'resolveReconciliationException' => ['POST', '/api/reconciliation/exceptions/{exceptionId}/resolve', 'integration', false],
        'registerExceptionNotifier' => ['POST', '/api/reconciliation/notifier', 'integration', false],
        'getExceptionNotifier' => ['GET', '/api/reconciliation/notifier', 'integration', false],
        'deleteExceptionNotifier' => ['DELETE', '/api/reconciliation/notifier', 'integration', false],
        'listAcquirerCharges' => ['GET', '/homologation/acquirer/charges', 'gateway', false],
        'listBankBoletos' => ['GET', '/homologation/bank/boletos', 'gateway', false],
        'advanceTestClock' => ['POST', '/homologation/clock', 'gateway', false],
        'readTestClock' => ['GET', '/homologation/clock', 'gateway', false],
        'forceTransactionEvent' => ['POST', '/homologation/transactions/{paymentId}/events', 'gateway', false],
        'forceBoletoEvent' => ['POST', '/homologation/boletos/{boletoId}/events', 'gateway', false],
        'changeAcquirerScript' => ['PUT', '/homologation/acquirer/script', 'gateway', false],
        'readAcquirerScript' => ['GET', '/homologation/acquirer/script', 'gateway', false],
        'listTrialCards' => ['GET', '/homologation/trial-cards', 'gateway', false],
        // end of operations
    ];
    private const LOGIN_PATHS = [
        'gateway' => '/api/auth/token',
        'recurrence' => '/api/auth/token',
        'integration' => '/api/authentication/login',
    ];
    private const SHORTEST_PAUSE = 0.25;
    private const LONGEST_PAUSE = 30.0;
    private const RENEW_SECONDS = 60;
    private const MOST_SECONDS_OLD = 300;

    private string $url;
    private string $integrationUrl;
    /** @var array<string, array{string, float}> */
    private array $tokens = [];

    /**
     * `logins`: of gateway, recurrence and integration, those that you use. `timeout`: seconds of one sending;
     * `patience`: of a call with all its repetitions.
     */
    public function __construct(
        string $url,
        #[\SensitiveParameter] private array $logins,
        ?string $integrationUrl = null,
        private string $language = 'pt-BR',
        private float $timeout = 20,
        private float $patience = 60,
    ) {
        $this->url = rtrim($url, '/');
        $this->integrationUrl = rtrim($integrationUrl ?? $url, '/');
    }

    /**
     * `given`: places in the path, the query, and `body`. Without a key each call has a new one, which its
     * repetitions keep.
     */
    public function call(string $name, array $given = [], ?string $idempotencyKey = null): mixed
    {
        [$method, $path, $scope, $isKeyed] = self::OPERATIONS[$name]
            ?? throw new \InvalidArgumentException("there is no operation $name");
        $query = [];
        foreach ($given as $field => $value) {
            if ($field === 'body' || $value === null) continue;
            if (str_contains($path, '{' . $field . '}')) {
                $path = str_replace('{' . $field . '}', rawurlencode((string) $value), $path);
            } else {
                $query[$field] = $value;
            }
        }
        if ($query !== []) $path .= '?' . http_build_query($query, '', '&', PHP_QUERY_RFC3986);
        $key = $isKeyed ? ($idempotencyKey ?? bin2hex(random_bytes(16))) : null;
        $host = $scope === 'integration' ? $this->integrationUrl : $this->url;
        return $this->send($method, $host . $path, $given['body'] ?? null, $scope, $key, $method === 'GET' || $isKeyed);
    }

    /** All items of a list, page after page; the stream of movements goes on from `next`. */
    public function each(string $name, array $given = []): \Generator
    {
        $place = [];
        for ($page = 1; ; $page++) {
            $answer = $this->call($name, $place + $given);
            foreach ($answer['items'] as $item) yield $item;
            if (array_key_exists('next', $answer)) {
                if ($answer['items'] === [] || $answer['next'] === null) return;
                $place = ['after' => $answer['next']];
            } else {
                if (count($answer['items']) < ($answer['limit'] ?? PHP_INT_MAX)) return;
                $place = ['page' => $page + 1];
            }
        }
    }

    /**
     * Whether a notification is Parcela's, whole, and new. `headers`: names in small letters. `body`: the bytes as
     * they came. It may still come twice: go by its `movementId`.
     */
    public static function isGenuine(
        array $headers,
        string $body,
        #[\SensitiveParameter] string $secret,
        ?int $now = null,
    ): bool {
        $timestamp = $headers['webhook-timestamp'] ?? '';
        if (preg_match('/^\d{1,12}$/D', $timestamp) !== 1) return false;
        if (abs(($now ?? time()) - (int) $timestamp) > self::MOST_SECONDS_OLD) return false;
        $key = base64_decode(preg_replace('/^whsec_/', '', $secret), true);
        if ($key === false || $key === '') return false;
        $id = $headers['webhook-id'] ?? '';
        $right = 'v1,' . base64_encode(hash_hmac('sha256', "$id.$timestamp.$body", $key, true));
        // Two signatures come while a secret is being changed: one that is right will do.
        foreach (explode(' ', $headers['webhook-signature'] ?? '') as $given) {
            if (hash_equals($right, $given)) return true;
        }
        return false;
    }

    private function send(
        string $method,
        string $url,
        mixed $body,
        ?string $scope,
        ?string $key,
        bool $isRepeatable,
    ): mixed {
        $endsAt = self::now() + $this->patience;
        $isInDoubt = false;
        $refused = null;
        for ($tries = 1; ; $tries++) {
            try {
                $token = $scope === null ? null : $this->token($scope, $refused);
            } catch (ParcelaError $error) {
                throw new ParcelaError($error->status, $error->problems, $key, $isInDoubt, $error->requestId);
            } catch (NoAnswer $error) {
                throw new NoAnswer($error->why, $key, $isInDoubt);
            }
            [$status, $answer, $headers, $why] = $this->once($method, $url, $body, $token, $key, $endsAt);
            if ($status !== null && $status >= 200 && $status < 300) return $answer;
            if ($status === null && $method !== 'GET') $isInDoubt = true;
            $mayLogIn = $token !== null && $refused === null;
            $refused = $status === 401 ? $token : null;
            $retryAfter = $headers['retry-after'] ?? null;
            $pause = self::pause($status, $retryAfter, $tries, $isRepeatable, $mayLogIn);
            if ($pause === null || self::now() + $pause > $endsAt) {
                if ($status === null) throw new NoAnswer($why, $key, $isInDoubt);
                $settles = in_array($status, [402, 409, 500], true) && $retryAfter === null;
                $problems = is_array($answer) && array_is_list($answer) ? $answer : [];
                throw new ParcelaError($status, $problems, $key, $isInDoubt && !$settles, $headers['x-request-id'] ?? null);
            }
            usleep((int) ($pause * 1_000_000));
        }
    }

    /** Seconds until it is sent again; null: never. 429, 503 and a 409 with Retry-After did nothing. */
    private static function pause(?int $status, ?string $retryAfter, int $tries, bool $isRepeatable, bool $mayLogIn): ?float
    {
        $longer = self::SHORTEST_PAUSE * 2 ** min($tries - 1, 6);
        if ($status === null) return $isRepeatable ? $longer : null;
        if ($status === 401) return $mayLogIn ? 0.0 : null;
        if ($status !== 429 && $status !== 503 && !($status === 409 && $retryAfter !== null)) return null;
        return $retryAfter !== null && ctype_digit($retryAfter) ? min(self::LONGEST_PAUSE, (float) $retryAfter) : $longer;
    }

    /** Status, body, headers; or why there is no answer: what does not come from Parcela itself is none. */
    private function once(string $method, string $url, mixed $body, ?string $token, ?string $key, float $endsAt): array
    {
        $lines = ['accept: application/json', "accept-language: $this->language", 'connection: close'];
        if ($body !== null) $lines[] = 'content-type: application/json';
        if ($token !== null) $lines[] = "authorization: Bearer $token";
        if ($key !== null) $lines[] = "idempotency-key: $key";
        $none = fn (string $why) => [null, null, [], $why];
        $limit = max(0.001, min($this->timeout, $endsAt - self::now()));
        $context = stream_context_create(['http' => [
            'method' => $method,
            'header' => implode("\r\n", $lines),
            'content' => $body === null ? '' : json_encode($body, JSON_THROW_ON_ERROR | JSON_PRESERVE_ZERO_FRACTION),
            'timeout' => $limit,
            'ignore_errors' => true,
            'protocol_version' => 1.1,
            // A token goes nowhere else.
            'follow_location' => 0,
        ]]);
        $stream = @fopen($url, 'r', false, $context);
        if ($stream === false) return $none(error_get_last()['message'] ?? 'the connection failed');
        $text = stream_get_contents($stream);
        ['wrapper_data' => $told, 'timed_out' => $isLate] = stream_get_meta_data($stream);
        fclose($stream);
        if ($isLate || $text === false) return $none('the time is up');
        preg_match('#^HTTP/\S+ (\d{3})#', $told[0] ?? '', $found);
        $status = (int) ($found[1] ?? 0);
        $headers = [];
        foreach (array_slice($told, 1) as $line) {
            [$name, $value] = array_pad(explode(':', $line, 2), 2, '');
            $headers[strtolower(trim($name))] = trim($value);
        }
        if ($status === 0 || $status === 502 || $status === 504) return $none("a proxy answered $status");
        $isOurs = str_starts_with($headers['content-type'] ?? '', 'application/json');
        if (!$isOurs && $status !== 401) return $none("answered $status without JSON");
        if (!$isOurs) return [$status, null, $headers, ''];
        $answer = json_decode($text, true);
        if ($answer === null && json_last_error() !== JSON_ERROR_NONE) return $none('the answer broke off');
        return [$status, $answer, $headers, ''];
    }

    private function token(string $scope, ?string $refused): string
    {
        [$text, $ends] = $this->tokens[$scope] ?? [null, 0.0];
        if ($text !== null && $text !== $refused && $ends > self::now()) return $text;
        $login = $this->logins[$scope]
            ?? throw new \InvalidArgumentException("logins['$scope'] is missing: this operation needs it");
        $host = $scope === 'integration' ? $this->integrationUrl : $this->url;
        $answer = $this->send('POST', $host . self::LOGIN_PATHS[$scope], $login, null, null, true);
        // By the service's own clock: ours may be off.
        $lives = strtotime($answer['expiration']) - strtotime($answer['created']);
        $this->tokens[$scope] = [$answer['accessToken'], self::now() + $lives - self::RENEW_SECONDS];
        return $answer['accessToken'];
    }

    private static function now(): float
    {
        return hrtime(true) / 1e9;
    }
}
