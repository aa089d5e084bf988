import type { Transporter } from 'nodemailer';
import type { Mail } from './share-notice';

/** A mail that the server refused. */
export class MailRefused extends Error {
  constructor(
    /** Whether a repetition is useless, because the cause is this mail or its recipient rather than the server. */
    readonly isFinal: boolean,
    message: string,
  ) {
    super(message);
  }
}

/** Passes mails to a server. */
export interface MailTransport {
  /** Resolves when the server has accepted the mail. @throws MailRefused */
  send(mail: Mail): Promise<void>;
  close(): void;
}

const TIMEOUTS_MS = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 30_000 };
/** Error codes of nodemailer about the envelope or the content of one mail. */
const ABOUT_THE_MAIL: ReadonlySet<string | undefined> = new Set(['EENVELOPE', 'EMESSAGE']);
const REASON_CHARACTERS = 500;

/** Uses SMTP, with one connection for several mails; see SMTP_URL in the configuration table. */
export class SmtpTransport implements MailTransport {
  private readonly url: URL;
  private transporter: Transporter | undefined;

  constructor(smtpUrl: string) {
    this.url = new URL(smtpUrl);
    this.url.searchParams.set('pool', 'true');
    for (const [name, value] of Object.entries(TIMEOUTS_MS)) this.url.searchParams.set(name, String(value));
  }

  async send(mail: Mail): Promise<void> {
    const { id, from, replyTo, to, subject, text } = mail;
    // Loaded late, because most processes send no mail.
    const { createTransport } = await import('nodemailer');
    this.transporter ??= createTransport(this.url.href);
    try {
      await this.transporter.sendMail({
        messageId: id,
        from: { ...from },
        to: { ...to },
        ...(replyTo ? { replyTo: { ...replyTo } } : {}),
        subject,
        text,
        headers: { 'Auto-Submitted': 'auto-generated' },
        disableFileAccess: true,
        disableUrlAccess: true,
      });
    } catch (error) {
      throw refusalOf(error);
    }
  }

  close(): void {
    this.transporter?.close();
  }
}

function refusalOf(error: unknown): MailRefused {
  const { code, responseCode, response, message } = error as {
    code?: string;
    responseCode?: number;
    response?: string;
    message: string;
  };
  const isFinal = ABOUT_THE_MAIL.has(code) && (responseCode ?? 0) >= 500;
  return new MailRefused(isFinal, (response ?? message).slice(0, REASON_CHARACTERS));
}
