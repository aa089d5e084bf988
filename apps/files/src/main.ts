import { runService } from '#platform';
import { FilesModule } from './files.module';

void runService('files', FilesModule);
