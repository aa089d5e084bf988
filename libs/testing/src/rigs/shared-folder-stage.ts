import { FilesApp } from './files-app';
import { ReadingPartner, type KeptShare } from '../partners/reading-partner';

/** A files app with a reading partner, and new people for each test; Alice's folder is shared. */
export class SharedFolderStage {
  files!: FilesApp;
  partner!: ReadingPartner;
  alice!: string;
  brian!: string;
  private tests = 0;

  async start(): Promise<void> {
    this.files = await FilesApp.start();
    this.partner = new ReadingPartner(this.files.url);
  }

  async stop(): Promise<void> {
    await this.files?.stop();
  }

  async enter(): Promise<void> {
    this.tests++;
    [this.alice, this.brian] = [`alice${this.tests}`, `brian${this.tests}`];
    await this.files.addUsers(this.alice, this.brian);
    await this.files.dav('MKCOL', this.alice, '/folder');
    await this.files.dav('PUT', this.alice, '/folder/file.txt', { body: 'of alice' });
  }

  shareFolder(permissions = 31): Promise<KeptShare & { readonly id: number }> {
    return this.files.federatedShare({ path: '/folder', owner: this.alice, permissions });
  }

  sql<Row>(text: string, values: unknown[] = []): Promise<Row[]> {
    return this.files.database.dataSource.query<Row[]>(text, values);
  }
}

/** The stage of a spec file, set before each of its tests. */
export function sharedFolderStage(): SharedFolderStage {
  const stage = new SharedFolderStage();
  beforeAll(() => stage.start());
  afterAll(() => stage.stop());
  beforeEach(() => stage.enter());
  return stage;
}
