# Harvests a repository by HTTP::OAI, and prints a line a record: identifier, datestamp, 1 where it is deleted, title.
use strict;
use warnings;
use HTTP::OAI;

my ($base, $from) = @ARGV;
binmode STDOUT, ':utf8';
my $h = HTTP::OAI::Harvester->new(baseURL => $base);
my %asked = (metadataPrefix => 'oai_dc');
$asked{from} = $from if $from;
$asked{onRecord} = sub {
	my $record = shift;
	my $title = '';
	if (!$record->is_deleted) {
		my @t = $record->metadata->dom->findnodes('.//*[local-name()="title"]');
		$title = @t ? $t[0]->textContent : '';
	}
	print join("\t", $record->identifier, $record->datestamp, $record->is_deleted ? 1 : 0, $title), "\n";
};
my $r = $h->ListRecords(%asked);
die $r->code . ' ' . $r->message if $r->is_error && $r->message !~ /noRecordsMatch/;
