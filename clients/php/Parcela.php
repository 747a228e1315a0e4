<?php

declare(strict_types=1);

namespace Parcela;

/**
 * Parcela answered, and not with what was asked for. `problems`: all faults at once, each with `tag` and
 * `description`; of a decline (402) also `buyerMessage`. `mayBeDone`: an earlier sending had no answer, and this
 * one does not say what became of it: make the same call again with the same key, or look it up. Never take it
 * for a no. It speaks of this call: what your program sent with this key before, you know.
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
    /**
     * Printed from the contract by `npm run print`: method, path, whose login, whether it takes an Idempotency-Key,
     * the names of its query.
     */
    private const OPERATIONS = [
        // operations
        'getCardPublicKey' => ['GET', '/v1/cards/public-key', 'gateway', false, ''],
        'tokenizeCard' => ['POST', '/v1/cards/tokenization', 'gateway', false, ''],
        'listVaultCards' => ['GET', '/v1/vaults/cards', 'gateway', false, 'lastFour page limit orderBy'],
        'storeVaultCard' => ['POST', '/v1/vaults/cards', 'gateway', true, ''],
        'getVaultCard' => ['GET', '/v1/vaults/cards/{vaultId}', 'gateway', false, ''],
        'deleteVaultCard' => ['DELETE', '/v1/vaults/cards/{vaultId}', 'gateway', false, ''],
        'createAntiFraudCode' => ['POST', '/v1/antifraud/sessions', 'gateway', true, ''],
        'createPayment' => ['POST', '/v1/payments', 'gateway', true, ''],
        'listPayments' => ['GET', '/v1/payments', 'gateway', false, 'method referenceTransaction nsu authorizationCode vaultId billingId txid endToEndId status lastFour isPartlyReturned dateRangeStartDate dateRangeEndDate page limit orderBy'],
        'getPayment' => ['GET', '/v1/payments/{paymentId}', 'gateway', false, 'splitPage'],
        'capturePayment' => ['POST', '/v1/payments/{paymentId}/capture', 'gateway', true, ''],
        'cancelPayment' => ['POST', '/v1/payments/{paymentId}/cancel', 'gateway', true, ''],
        'issuePix' => ['POST', '/v1/payments/pix', 'gateway', true, ''],
        'createPaymentLink' => ['POST', '/v1/paymentlink/new', 'gateway', true, ''],
        'getPaymentLink' => ['GET', '/v1/paymentlink/information', 'gateway', false, 'id'],
        'listPaymentLinks' => ['GET', '/v1/paymentlink/list', 'gateway', false, 'status page limit orderBy'],
        'disablePaymentLink' => ['POST', '/v1/paymentlink/disable', 'gateway', false, 'id reason'],
        'putCardFields' => ['PUT', '/v1/cards/fields', 'gateway', false, ''],
        'getCardFields' => ['GET', '/v1/cards/fields', 'gateway', false, ''],
        'listIssuerCodes' => ['GET', '/v1/issuer-codes', 'gateway', false, 'brand code'],
        'createPlan' => ['POST', '/v1/recurrences/plans', 'recurrence', true, ''],
        'listPlans' => ['GET', '/v1/recurrences/plans', 'recurrence', false, 'name status page limit orderBy'],
        'getPlan' => ['GET', '/v1/recurrences/plans/{planId}', 'recurrence', false, ''],
        'updatePlan' => ['POST', '/v1/recurrences/plans/{planId}', 'recurrence', false, ''],
        'changePlanStatus' => ['POST', '/v1/recurrences/plans/{planId}/status', 'recurrence', false, ''],
        'getPlanCalendar' => ['GET', '/v1/recurrences/plans/{planId}/calendar', 'recurrence', false, 'startOn count'],
        'createSubscription' => ['POST', '/v1/recurrences/subscriptions', 'recurrence', true, 'expand'],
        'listSubscriptions' => ['GET', '/v1/recurrences/subscriptions', 'recurrence', false, 'planName status orderNumber vaultId documentNumber email page limit orderBy'],
        'getSubscription' => ['GET', '/v1/recurrences/subscriptions/{subscriptionId}', 'recurrence', false, ''],
        'changeSubscriptionStatus' => ['POST', '/v1/recurrences/subscriptions/{subscriptionId}/status', 'recurrence', false, ''],
        'changeSubscriptionVault' => ['POST', '/v1/recurrences/subscriptions/{subscriptionId}/vault', 'recurrence', false, ''],
        'changeSubscriptionCustomer' => ['POST', '/v1/recurrences/subscriptions/{subscriptionId}/customer', 'recurrence', false, ''],
        'putSubscriberPage' => ['PUT', '/v1/recurrences/subscriptions/{subscriptionId}/page', 'recurrence', false, ''],
        'getSubscriberPage' => ['GET', '/v1/recurrences/subscriptions/{subscriptionId}/page', 'recurrence', false, ''],
        'removeSubscriberPage' => ['DELETE', '/v1/recurrences/subscriptions/{subscriptionId}/page', 'recurrence', false, ''],
        'listBillings' => ['GET', '/v1/recurrences/billing', 'recurrence', false, 'mid subscriptionId status expirationDateRangeStartDate expirationDateRangeEndDate page limit orderBy'],
        'getBilling' => ['GET', '/v1/recurrences/billing/{billingId}', 'recurrence', false, ''],
        'cancelBilling' => ['POST', '/v1/recurrences/billing/{billingId}/cancel', 'recurrence', false, ''],
        'chargeBilling' => ['POST', '/v1/recurrences/billing/{billingId}/charge', 'recurrence', true, ''],
        'registerNotifier' => ['POST', '/v1/recurrences/merchantnotifier', 'recurrence', true, ''],
        'listNotifiers' => ['GET', '/v1/recurrences/merchantnotifier', 'recurrence', false, 'merchantId name status page limit orderBy'],
        'changeNotifierStatus' => ['POST', '/v1/recurrences/merchantnotifier/{notifierId}/status', 'recurrence', false, ''],
        'issueBoleto' => ['POST', '/api/billissuer/new', 'integration', true, 'accountNumber'],
        'listBoletos' => ['GET', '/api/billissuer/list/by/due-date', 'integration', false, 'accountNumber startDate endDate statusBill page limit'],
        'getBoleto' => ['GET', '/api/billissuer/{boletoId}', 'integration', false, ''],
        'cancelBoleto' => ['POST', '/api/billissuer/{boletoId}/cancel', 'integration', false, ''],
        'changeBoletoDueDate' => ['POST', '/api/billissuer/{boletoId}/due-date', 'integration', false, ''],
        'sendTestNotification' => ['POST', '/api/webhooks/subscriptions/test', 'integration', false, 'accountNumber'],
        'listWebhookDeliveries' => ['GET', '/api/webhooks/deliveries', 'integration', false, 'accountNumber status nsu from to page limit orderBy'],
        'getWebhookDelivery' => ['GET', '/api/webhooks/deliveries/{deliveryId}', 'integration', false, ''],
        'resendWebhookDelivery' => ['POST', '/api/webhooks/deliveries/{deliveryId}/resend', 'integration', false, ''],
        'resendWebhookDeliveries' => ['POST', '/api/webhooks/resend', 'integration', false, 'accountNumber'],
        'registerWebhook' => ['POST', '/api/webhooks/subscriptions', 'integration', false, 'accountNumber'],
        'getWebhook' => ['GET', '/api/webhooks/subscriptions', 'integration', false, 'accountNumber'],
        'deleteWebhook' => ['DELETE', '/api/webhooks/subscriptions', 'integration', false, 'accountNumber'],
        'setWebhookAuth' => ['POST', '/v1/security/webhook-auth', 'gateway', false, ''],
        'createWebhookSecret' => ['POST', '/api/webhooks/secret', 'integration', false, 'accountNumber'],
        'listMovements' => ['GET', '/api/movements', 'integration', false, 'accountNumber after limit'],
        'searchReceivablesByCode' => ['POST', '/api/transaction/concil/search-by-code', 'integration', false, 'accountNumber'],
        'exportReceivablesBySale' => ['GET', '/api/transaction/concil/export-by-operation-date', 'integration', false, 'accountNumber startDate endDate'],
        'exportReceivablesByPayment' => ['GET', '/api/transaction/concil/export-by-payment-date', 'integration', false, 'accountNumber startDate endDate'],
        'listReconciliationDays' => ['GET', '/api/reconciliation/days', 'integration', false, 'accountNumber from to'],
        'listReconciliationExceptions' => ['GET', '/api/reconciliation/exceptions', 'integration', false, 'accountNumber from to state class page limit orderBy'],
        'resolveReconciliationException' => ['POST', '/api/reconciliation/exceptions/{exceptionId}/resolve', 'integration', false, ''],
        'registerExceptionNotifier' => ['POST', '/api/reconciliation/notifier', 'integration', false, 'accountNumber'],
        'getExceptionNotifier' => ['GET', '/api/reconciliation/notifier', 'integration', false, 'accountNumber'],
        'deleteExceptionNotifier' => ['DELETE', '/api/reconciliation/notifier', 'integration', false, 'accountNumber'],
        'listAcquirerCharges' => ['GET', '/homologation/acquirer/charges', 'gateway', false, 'reference paymentId'],
        'listBankBoletos' => ['GET', '/homologation/bank/boletos', 'gateway', false, 'ourNumber'],
        'advanceTestClock' => ['POST', '/homologation/clock', 'gateway', false, ''],
        'readTestClock' => ['GET', '/homologation/clock', 'gateway', false, ''],
        'forceTransactionEvent' => ['POST', '/homologation/transactions/{paymentId}/events', 'gateway', false, ''],
        'forceBoletoEvent' => ['POST', '/homologation/boletos/{boletoId}/events', 'gateway', false, ''],
        'changeAcquirerScript' => ['PUT', '/homologation/acquirer/script', 'gateway', false, ''],
        'readAcquirerScript' => ['GET', '/homologation/acquirer/script', 'gateway', false, ''],
        'listTrialCards' => ['GET', '/homologation/trial-cards', 'gateway', false, ''],
        // end of operations
    ];
    private const LOGIN_PATHS = [
        'gateway' => '/api/auth/token',
        'recurrence' => '/api/auth/token',
        'integration' => '/api/authentication/login',
    ];
    private const SHORTEST_PAUSE = 0.25;
    private const MOST_BYTES = 16 * 1024 * 1024;
    private const KEY = '/^[\x21-\x7e]{1,255}$/D';
    private const RENEW_SECONDS = 60;
    private const MOST_SECONDS_OLD = 300;

    private string $url;
    private string $integrationUrl;
    /** @var array<string, array{string, float}> */
    private array $tokens = [];

    /**
     * `logins`: of gateway, recurrence and integration, those that you use. `timeout`: seconds of one sending;
     * `patience`: so long a call is repeated.
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
    public function call(string $name, #[\SensitiveParameter] array $given = [], ?string $idempotencyKey = null): mixed
    {
        [$method, $path, $scope, $isKeyed, $names] = self::OPERATIONS[$name]
            ?? throw new \InvalidArgumentException("there is no operation $name");
        $query = [];
        foreach ($given as $field => $value) {
            if ($field === 'body') continue;
            if (str_contains($path, '{' . $field . '}')) {
                // Such a path would be another one.
                if (!is_string($value) || in_array($value, ['', '.', '..'], true))
                    throw new \InvalidArgumentException("$name: $field names nothing");
                $path = str_replace('{' . $field . '}', rawurlencode($value), $path);
            } elseif (!in_array($field, explode(' ', $names), true)) {
                throw new \InvalidArgumentException("$name is not given $field");
            } elseif ($value !== null) {
                $query[$field] = $value;
            }
        }
        if (str_contains($path, '{')) throw new \InvalidArgumentException("$name: $path lacks a part");
        if ($idempotencyKey !== null && (!$isKeyed || preg_match(self::KEY, $idempotencyKey) !== 1))
            throw new \InvalidArgumentException("$name takes no such idempotencyKey");
        if ($query !== []) $path .= '?' . http_build_query($query, '', '&', PHP_QUERY_RFC3986);
        $key = $isKeyed ? ($idempotencyKey ?? bin2hex(random_bytes(16))) : null;
        $host = $scope === 'integration' ? $this->integrationUrl : $this->url;
        $body = isset($given['body']) ? self::jsonOf($given['body']) : null;
        $endsAt = self::now() + $this->patience;
        return $this->send($method, $host . $path, $body, $scope, $key, $method === 'GET' || $isKeyed, $endsAt);
    }

    /** All items of a list, page after page; the stream of movements goes on from `next`. */
    public function each(string $name, array $given = []): \Generator
    {
        $names = self::OPERATIONS[$name][4] ?? throw new \InvalidArgumentException("there is no operation $name");
        $page = $given['page'] ?? 1;
        $place = in_array('page', explode(' ', $names), true) ? ['page' => $page] : [];
        while (true) {
            $answer = $this->call($name, $place + $given);
            foreach ($answer['items'] as $item) yield $item;
            if (array_key_exists('next', $answer)) {
                if ($answer['items'] === [] || $answer['next'] === null) return;
                $place = ['after' => $answer['next']];
            } else {
                if (count($answer['items']) < ($answer['limit'] ?? PHP_INT_MAX)) return;
                $page++;
                $place = ['page' => $page];
            }
        }
    }

    /**
     * Whether a notification is Parcela's, whole, and new. `headers`: of any case. `body`: the bytes as they came. It may still come twice: go by its `movementId`.
     */
    public static function isGenuine(
        array $headers,
        string $body,
        #[\SensitiveParameter] string $secret,
        ?int $now = null,
    ): bool {
        $told = [];
        foreach ($headers as $name => $value) {
            $told[strtolower((string) $name)] = is_array($value) ? implode(' ', $value) : (string) $value;
        }
        $timestamp = $told['webhook-timestamp'] ?? '';
        if (!isset($told['webhook-id']) || preg_match('/^\d{1,12}$/D', $timestamp) !== 1) return false;
        if (abs(($now ?? time()) - (int) $timestamp) > self::MOST_SECONDS_OLD) return false;
        $key = base64_decode(preg_replace('/^whsec_/', '', $secret), true);
        if ($key === false || $key === '') return false;
        $id = $told['webhook-id'];
        $right = 'v1,' . base64_encode(hash_hmac('sha256', "$id.$timestamp.$body", $key, true));
        // Two signatures come while a secret is being changed: one that is right will do.
        foreach (explode(' ', $told['webhook-signature'] ?? '') as $given) {
            if (hash_equals($right, $given)) return true;
        }
        return false;
    }

    private function send(
        string $method,
        string $url,
        #[\SensitiveParameter] ?string $body,
        ?string $scope,
        ?string $key,
        bool $isRepeatable,
        float $endsAt,
    ): mixed {
        $isInDoubt = false;
        $refused = null;
        for ($tries = 1; ; $tries++) {
            try {
                $token = $scope === null ? null : $this->token($scope, $refused, $endsAt);
            } catch (ParcelaError $error) {
                throw new ParcelaError($error->status, $error->problems, $key, $isInDoubt, $error->requestId);
            } catch (NoAnswer $error) {
                throw new NoAnswer($error->why, $key, $isInDoubt);
            }
            [$status, $answer, $headers, $why] = $this->once($method, $url, $body, $token, $key);
            if ($status !== null && $status >= 200 && $status < 300) return $answer;
            if ($status === null && $method !== 'GET') $isInDoubt = true;
            $mayLogIn = $token !== null && $refused === null;
            $refused = $status === 401 ? $token : null;
            $retryAfter = $headers['retry-after'] ?? null;
            $pause = self::pause($status, $retryAfter, $tries, $isRepeatable, $mayLogIn);
            if ($pause === null || self::now() + $pause > $endsAt) {
                if ($status === null) throw new NoAnswer($why, $key, $isInDoubt);
                $problems = $status === 401 ? [] : $answer;
                // It says that this key was sent before: the first request is under way, or was another one.
                $isOfKey = in_array('idempotencyKey', array_column($problems, 'tag'), true);
                $wasSent = $isOfKey && in_array($status, [409, 422], true);
                $settles = in_array($status, [402, 409, 500], true) && $retryAfter === null;
                $mayBeDone = $wasSent || ($isInDoubt && !$settles);
                throw new ParcelaError($status, $problems, $key, $mayBeDone, $headers['x-request-id'] ?? null);
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
        return $retryAfter !== null && ctype_digit($retryAfter) ? (float) $retryAfter : $longer;
    }

    /** Status, body, headers; or why there is no answer: what does not come from Parcela itself is none. */
    private function once(
        string $method,
        string $url,
        #[\SensitiveParameter] ?string $body,
        #[\SensitiveParameter] ?string $token,
        ?string $key,
    ): array
    {
        $lines = ['accept: application/json', "accept-language: $this->language", 'connection: close'];
        if ($body !== null) $lines[] = 'content-type: application/json';
        if ($token !== null) $lines[] = "authorization: Bearer $token";
        if ($key !== null) $lines[] = "idempotency-key: $key";
        $none = fn (string $why) => [null, null, [], $why];
        $endsAt = self::now() + $this->timeout;
        $context = stream_context_create(['http' => [
            'method' => $method,
            'header' => implode("\r\n", $lines),
            'content' => $body ?? '',
            'timeout' => $this->timeout,
            'ignore_errors' => true,
            'protocol_version' => 1.1,
            // A token goes nowhere else.
            'follow_location' => 0,
        ]]);
        error_clear_last();
        $stream = @fopen($url, 'r', false, $context);
        // Without the address, which may name a person.
        if ($stream === false) {
            $words = explode(': ', error_get_last()['message'] ?? 'the connection failed');
            return $none(end($words));
        }
        $text = '';
        do {
            $piece = fread($stream, 65536);
            $text .= $piece === false ? '' : $piece;
            ['wrapper_data' => $told, 'timed_out' => $isLate, 'eof' => $isWhole] = stream_get_meta_data($stream);
            if ($isLate || self::now() > $endsAt || strlen($text) > self::MOST_BYTES) {
                fclose($stream);
                return $none('the answer does not end');
            }
        } while (!$isWhole && $piece !== false);
        fclose($stream);
        preg_match('#^HTTP/\S+ (\d{3})#', $told[0] ?? '', $found);
        $status = (int) ($found[1] ?? 0);
        $headers = [];
        foreach (array_slice($told, 1) as $line) {
            [$name, $value] = array_pad(explode(':', $line, 2), 2, '');
            $headers[strtolower(trim($name))] = trim($value);
        }
        if ($status === 0 || $status === 502 || $status === 504) return $none("a proxy answered $status");
        $isJson = str_starts_with($headers['content-type'] ?? '', 'application/json');
        $answer = $isJson ? json_decode($text, true) : null;
        if ($isJson && $answer === null && json_last_error() !== JSON_ERROR_NONE) return $none('the answer broke off');
        $isOurs = $status === 401 || ($isJson && ($status < 300 || self::areProblems($answer)));
        return $isOurs ? [$status, $answer, $headers, ''] : $none("something else than Parcela answered $status");
    }

    private static function areProblems(mixed $answer): bool
    {
        if (!is_array($answer) || $answer === [] || !array_is_list($answer)) return false;
        foreach ($answer as $one) {
            if (!is_string($one['tag'] ?? null) || !is_string($one['description'] ?? null)) return false;
        }
        return true;
    }

    private static function jsonOf(#[\SensitiveParameter] mixed $body): string
    {
        return json_encode($body, JSON_THROW_ON_ERROR | JSON_PRESERVE_ZERO_FRACTION);
    }

    private function token(string $scope, #[\SensitiveParameter] ?string $refused, float $endsAt): string
    {
        [$text, $ends] = $this->tokens[$scope] ?? [null, 0.0];
        if ($text !== null && $text !== $refused && $ends > self::now()) return $text;
        $login = $this->logins[$scope]
            ?? throw new \InvalidArgumentException("logins['$scope'] is missing: this operation needs it");
        $host = $scope === 'integration' ? $this->integrationUrl : $this->url;
        $url = $host . self::LOGIN_PATHS[$scope];
        $answer = $this->send('POST', $url, self::jsonOf($login), null, null, true, $endsAt);
        // By the service's own clock: ours may be off.
        $lives = strtotime($answer['expiration'] ?? '') - strtotime($answer['created'] ?? '');
        if (!is_string($answer['accessToken'] ?? null) || $lives <= 0)
            throw new NoAnswer('the login was answered by something else', null, false);
        $this->tokens[$scope] = [$answer['accessToken'], self::now() + $lives - self::RENEW_SECONDS];
        return $answer['accessToken'];
    }

    private static function now(): float
    {
        return hrtime(true) / 1e9;
    }
}
