import type { Browser, BrowserContextOptions } from 'playwright-core';
import { administrationOn } from '#identity';
import { basicAuth, createTestDatabase, startGateway, type TestDatabase, type TestGateway } from '#testing';
import { browserProgram, Person, startBrowser } from './browser-stage';

export const PASSWORD = 'a password of the specs';
/** This markup would run if a page inserted a name without escaping it. */
export const MARKUP = '<img src=x onerror=alert(1)>&"quoted".txt';

/** Display names by user names. */
type Users = Readonly<Record<string, string>>;

const AMONG_NEIGHBOURS = {
  FEDERATION_ALLOW_HTTP: 'true',
  FEDERATION_ALLOW_ADDRESSES: '127.0.0.0/8',
  FEDERATION_SYNC_WAIT: '20s',
};

/** One instance with accounts, and users who open it in browsers. */
export class BrowserStory {
  private people: Person[] = [];
  private readonly test: TestDatabase;

  private constructor(
    readonly gateway: TestGateway,
    private readonly browser: Browser,
    /** Whether it shares the browser of another instance. */
    private readonly isNeighbour: boolean,
    test: TestDatabase,
  ) {
    this.test = test;
  }

  /** @param users display names by user names */
  static async start(users: Users): Promise<BrowserStory> {
    return BrowserStory.found(users, await startBrowser(browserProgram()!), false);
  }

  /** Another organisation, whose users use the same browser. */
  neighbour(users: Users): Promise<BrowserStory> {
    return BrowserStory.found(users, this.browser, true);
  }

  private static async found(users: Users, browser: Browser, isNeighbour: boolean): Promise<BrowserStory> {
    const test = await createTestDatabase();
    const gateway = await startGateway({ databaseUrl: test.url, env: AMONG_NEIGHBOURS });
    const accounts = administrationOn(test.database, { COMPATIBILITY: 'documented' }).users;
    for (const [uid, displayName] of Object.entries(users))
      await accounts.create({ uid, password: PASSWORD, displayName });
    return new BrowserStory(gateway, browser, isNeighbour, test);
  }

  async stop(): Promise<void> {
    if (!this.isNeighbour) await this.browser.close();
    await this.gateway.stop();
    await this.test.drop();
  }

  /** A visitor without an account. */
  async open(options?: BrowserContextOptions): Promise<Person> {
    const person = await Person.open(this.browser, this.gateway.url, options);
    this.people.push(person);
    return person;
  }

  async signedIn(user: string, options?: BrowserContextOptions): Promise<Person> {
    const person = await this.open(options);
    await person.signIn(user, PASSWORD);
    return person;
  }

  /** Closes all browser sessions. @returns the errors that they recorded */
  async leave(): Promise<string[]> {
    const complaints = this.people.flatMap((person) => person.complaints);
    await Promise.all(this.people.map((person) => person.leave()));
    this.people = [];
    return complaints;
  }

  /** Stores a file or folder in a user's tree by WebDAV. @param path percent-encoded */
  async put(user: string, path: string, content?: string | Buffer): Promise<void> {
    const reply = await fetch(`${this.gateway.url}/remote.php/dav/files/${user}/${path}`, {
      method: content === undefined ? 'MKCOL' : 'PUT',
      headers: { authorization: basicAuth(user, PASSWORD) },
      ...(content !== undefined && { body: new Uint8Array(Buffer.from(content)) }),
    });
    if (!reply.ok) throw new Error(`${path}: ${reply.status}`);
  }

  /** Creates a public link. @returns the path of its page */
  async link(user: string, parameters: Readonly<Record<string, string>>): Promise<string> {
    return `/s/${(await this.share(user, { shareType: '3', ...parameters })).token}`;
  }

  /** Shares something. */
  async share(
    user: string,
    parameters: Readonly<Record<string, string>>,
  ): Promise<{ id: string; token: string }> {
    const address = `${this.gateway.url}/ocs/v2.php/apps/files_sharing/api/v1/shares?format=json`;
    const reply = await fetch(address, {
      method: 'POST',
      headers: { authorization: basicAuth(user, PASSWORD) },
      body: new URLSearchParams(parameters),
    });
    return ((await reply.json()) as { ocs: { data: { id: string; token: string } } }).ocs.data;
  }

  /** Creates a group of these users. */
  async group(groupid: string, ...members: readonly string[]): Promise<void> {
    const make = async (path: string): Promise<void> => {
      const reply = await fetch(`${this.gateway.url}/ocs/v2.php/cloud/${path}`, {
        method: 'POST',
        headers: { authorization: this.gateway.adminAuth },
        body: new URLSearchParams({ groupid }),
      });
      if (!reply.ok) throw new Error(`${path}: ${reply.status}`);
    };
    await make('groups');
    for (const member of members) await make(`users/${member}/groups`);
  }

  /** Runs a statement in the database. */
  query(sql: string): Promise<unknown> {
    return this.test.database.dataSource.query(sql);
  }

  async endShare(user: string, id: string): Promise<void> {
    await fetch(`${this.gateway.url}/ocs/v2.php/apps/files_sharing/api/v1/shares/${id}`, {
      method: 'DELETE',
      headers: { authorization: basicAuth(user, PASSWORD) },
    });
  }
}

const program = browserProgram();

/** A describe block for tests in a browser; without a browser they are skipped, and the name says so. */
export function inBrowser(title: string, users: Users, stories: (told: () => BrowserStory) => void): void {
  (program ? describe : describe.skip)(
    `${title}, in a browser${program ? '' : ' (not installed: chromium)'}`,
    () => {
      let story: BrowserStory;
      beforeAll(async () => {
        story = await BrowserStory.start(users);
      });
      afterAll(() => story?.stop());
      afterEach(async () => expect(await story.leave()).toEqual([]));
      stories(() => story);
    },
  );
}
