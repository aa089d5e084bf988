import { source as AXE, type RunOptions } from 'axe-core';
import { existsSync } from 'node:fs';
import { eventually } from '#testing';
import {
  chromium,
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  type Page,
} from 'playwright-core';

/** Debian's package `chromium`, and the variable for another browser. */
const PROGRAMS = [process.env.CHROMIUM, '/usr/bin/chromium', '/usr/bin/chromium-browser'];
const STEP_MS = Number(process.env.STEP_MS ?? 90_000);
/** The rules of WCAG 2.2 AA. */
const ALL_RULES: RunOptions = { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'] };
const CONTRASTS: RunOptions = { runOnly: { type: 'rule', values: ['color-contrast'] } };

/** The browser of this machine; undefined if there is none. */
export const browserProgram = (): string | undefined => PROGRAMS.find((path) => path && existsSync(path));

/** A user with a separate browser session. */
export class Person {
  /** Errors of scripts, refused contents, and requests to other servers than the instance. */
  readonly complaints: string[] = [];

  private constructor(
    readonly page: Page,
    private readonly context: BrowserContext,
    private readonly url: string,
  ) {
    page.on('pageerror', ({ message }) => this.complaints.push(message));
    page.on('console', (message) => {
      if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
        this.complaints.push(message.text());
    });
    page.on('request', (request) => {
      const address = request.url();
      if (!address.startsWith(`${url}/`) && !/^(?:data|blob):/.test(address)) this.complaints.push(address);
    });
  }

  static async open(browser: Browser, url: string, options: BrowserContextOptions = {}): Promise<Person> {
    const context = await browser.newContext({
      baseURL: url,
      locale: 'en-GB',
      colorScheme: 'light',
      viewport: { width: 1280, height: 900 },
      ...options,
    });
    context.setDefaultTimeout(STEP_MS);
    return new Person(await context.newPage(), context, url);
  }

  async signIn(user: string, password: string): Promise<void> {
    await this.page.goto('/');
    await this.page.getByLabel('User name').fill(user);
    await this.page.getByLabel('Password').fill(password);
    await this.page.getByRole('button', { name: 'Sign in' }).click();
    await this.page.getByRole('heading', { name: 'Files', level: 1 }).waitFor();
  }

  async goTo(page: string, heading = page): Promise<void> {
    await this.page
      .getByRole('navigation', { name: 'Main pages' })
      .getByRole('link', { name: page, exact: true })
      .click();
    await this.page.getByRole('heading', { name: heading, level: 1 }).waitFor();
  }

  /** Chooses an action for a file or folder in the menu of its row. */
  async choose(entry: string, action: string): Promise<void> {
    const row = this.page.getByRole('row').filter({ has: this.page.getByRole('rowheader', { name: entry }) });
    await row.locator('summary').click();
    await row.getByText(action, { exact: true }).click();
  }

  /** Violations of WCAG 2.2 AA on the present page, and of its contrasts in dark colours. */
  async violations(): Promise<string[]> {
    const inLight = await this.violated(ALL_RULES);
    await this.page.emulateMedia({ colorScheme: 'dark' });
    const inDark = await this.violated(CONTRASTS);
    await this.page.emulateMedia({ colorScheme: null });
    return [...inLight, ...inDark.map((violation) => `in dark colours, ${violation}`)];
  }

  /** Loads axe-core once for each page that the browser loads, because that takes longer than the checks. */
  private async violated(rules: RunOptions): Promise<string[]> {
    if (await this.page.evaluate<boolean>('window.axe === undefined')) await this.page.evaluate(AXE);
    const options = JSON.stringify({ ...rules, iframes: false, resultTypes: ['violations'] });
    return this.page.evaluate<string[]>(`axe.run(document, ${options}).then(({ violations }) =>
      violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => id + ': ' + html)))`);
  }

  /** Waits until the page has this title. A function that waits inside the page is refused there, because pages may not evaluate texts. */
  hasTitle(title: string): Promise<unknown> {
    return eventually(`the title "${title}"`, async () => (await this.page.title()) === title);
  }

  /** Whether any element is wider than the screen. */
  async overflows(): Promise<boolean> {
    return this.page.evaluate<boolean>(
      'document.documentElement.scrollWidth > document.documentElement.clientWidth',
    );
  }

  /** Path of the page. */
  get path(): string {
    return this.page.url().slice(this.url.length);
  }

  async leave(): Promise<void> {
    await this.context.close();
  }
}

/** The sandbox of the browser needs an account other than root. */
export function startBrowser(program: string): Promise<Browser> {
  const args = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  return chromium.launch({ executablePath: program, args: [...args, '--disable-dev-shm-usage'] });
}
