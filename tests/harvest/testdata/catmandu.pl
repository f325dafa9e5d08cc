# Harvests a repository by Catmandu::OAI, and prints a line a record: identifier, datestamp, 1 where it is deleted, title.
use strict;
use warnings;
use Catmandu::Importer::OAI;

my ($base, $from) = @ARGV;
binmode STDOUT, ':utf8';
my %asked = (url => $base, metadataPrefix => 'oai_dc', strict => 1);
$asked{from} = $from if $from;
Catmandu::Importer::OAI->new(%asked)->each(sub {
	my $record = shift;
	my $deleted = ($record->{_status} // '') eq 'deleted';
	print join("\t", $record->{_identifier}, $record->{_datestamp}, $deleted ? 1 : 0, $deleted ? '' : $record->{title}[0]), "\n";
});
