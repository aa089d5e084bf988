import '#node-version';
import { runService } from '#platform';
import { FilesServerModule } from './files-server.module';

void runService('files', FilesServerModule);
