import type { SecretText } from '#federation/protocol';
import { signRequest, type SignatureHeaders, type SigningKey } from '#federation/signatures';

/** A message to a partner, or a request in our name. */
export interface Message {
  readonly method: 'POST' | 'GET';
  /** Absolute URL, without credentials. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: SecretText;
  /** Ends the request early. */
  readonly signal?: AbortSignal;
  /** Milliseconds for the whole answer, instead of the client's limits: for messages that must not be repeated lightly. */
  readonly answerMs?: number;
}

/**
 * A message with its signature: the only kind of POST that the guarded client sends. A signature is valid for minutes,
 * so each attempt makes a new one.
 */
export class SignedMessage {
  readonly method: Message['method'];
  /** The one spelling of the address that is both signed and called. */
  readonly url: string;
  readonly body: SecretText | undefined;
  readonly signal: AbortSignal | undefined;
  readonly answerMs: number | undefined;

  private constructor(
    private readonly message: Message,
    url: string,
    private readonly signature: SignatureHeaders | Readonly<Record<string, never>>,
  ) {
    this.method = message.method;
    this.url = url;
    this.body = message.body;
    this.signal = message.signal;
    this.answerMs = message.answerMs;
  }

  /** @param now in UNIX milliseconds */
  static async sign(message: Message, key: SigningKey, now: number): Promise<SignedMessage> {
    const { method, body } = message;
    const { href: url } = new URL(message.url);
    const signature = await signRequest({ method, url, body: Buffer.from(body?.reveal() ?? '') }, key, now);
    return new SignedMessage(message, url, signature);
  }

  /** For a partner that accepts no signatures, according to an operator. */
  static withoutSignature(message: Message): SignedMessage {
    return new SignedMessage(message, new URL(message.url).href, {});
  }

  get headers(): Readonly<Record<string, string>> {
    return { ...this.message.headers, ...this.signature };
  }
}
