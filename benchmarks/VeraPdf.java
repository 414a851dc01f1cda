import java.io.File;
import org.verapdf.gf.foundry.VeraGreenfieldFoundryProvider;
import org.verapdf.pdfa.Foundries;
import org.verapdf.pdfa.PDFAParser;
import org.verapdf.pdfa.PDFAValidator;
import org.verapdf.pdfa.flavours.PDFAFlavour;
import org.verapdf.pdfa.results.ValidationResult;

/** Holds files against PDF/A-2a and PDF/UA-1: a line a file and standard, then the clauses that are broken. */
public class VeraPdf {
    public static void main(String[] files) throws Exception {
        VeraGreenfieldFoundryProvider.initialise();
        for (String file : files) {
            for (String standard : new String[] {"2a", "ua1"}) {
                PDFAFlavour flavour = PDFAFlavour.byFlavourId(standard);
                try (PDFAParser parser = Foundries.defaultInstance().createParser(new File(file), flavour);
                        PDFAValidator validator = Foundries.defaultInstance().createValidator(flavour, false)) {
                    ValidationResult found = validator.validate(parser);
                    StringBuilder broken = new StringBuilder();
                    found.getFailedChecks().forEach((rule, n) -> broken.append(" ").append(rule.getClause()));
                    System.out.println(file + "\t" + standard + "\t" + found.getTotalAssertions() + "\t" + broken);
                }
            }
        }
    }
}
